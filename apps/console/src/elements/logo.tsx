import './logo.css';

/** The name of the product with its sign. */
export function Logo() {
  return (
    <span class="logo">
      <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect class="logo-ground" width="32" height="32" rx="8" />
        <path class="logo-mark" d="M8.5 17.2l4.6 4.6L24 10.6" />
      </svg>
      Countersign
    </span>
  );
}
