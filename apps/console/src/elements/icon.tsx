/** Outlines on a grid of 16: stroke 1.5, drawn for this console. */
const PATHS = {
  home: 'M2.5 7.5 8 2.8l5.5 4.7M4 6.5v6.7h8V6.5M6.6 13.2V9.6h2.8v3.6',
  approvals: 'M2.5 9.5h3l1 1.8h3l1-1.8h3M2.5 9.5v3.2h11V9.5L11.6 3.3H4.4zM6 6.2l1.5 1.4L10.2 5',
  cases: 'M2.2 4.2h4l1.2 1.4h6.4v7.2H2.2zM2.2 7.6h11.6',
  calls: 'M3 4.5h7M3 8h10M3 11.5h5M12 3.2l1.4 1.3L12 5.8M10 10.2l1.4 1.3-1.4 1.3',
  tools: 'M9.8 2.6a3.3 3.3 0 0 0-3 4.6L2.6 11.4l2 2 4.2-4.2a3.3 3.3 0 0 0 4.4-4l-2 2-2-.5-.4-2z',
  upstreams: 'M5.2 2.4v3.2M10.8 2.4v3.2M3.4 5.6h9.2v2.2a4.6 4.6 0 0 1-9.2 0zM8 12.4v1.4',
  imports: 'M3.6 2.4h5.8l3 3v8.2H3.6zM9.2 2.6v3h3M8 7.4v4M6.2 9.8 8 11.6l1.8-1.8',
  sagas: 'M3.2 2.6v7.2a2 2 0 0 0 2 2h5.6M3.2 5.4h7.6M12.4 3.8v3.2h-1.6V3.8zM12.4 10.2v3.2h-1.6v-3.2z',
  health: 'M1.8 8.4h3l1.6-4.2 2.8 7.8 1.8-3.6h3.2',
  policies: 'M8 2.2 3 4v4c0 3 2.2 5 5 5.9 2.8-.9 5-2.9 5-5.9V4zM5.8 8l1.6 1.6L10.4 6.4',
  audit: 'M4 2.4h5.6L12.4 5v8.6H4zM9.4 2.6V5.4h2.8M6 8h4.4M6 10.6h4.4',
  usage: 'M2.6 13.2h11M4.4 11V8M8 11V4M11.6 11V6.4',
  settings:
    'M3 4.6h5.4M11.4 4.6H13M3 11.4h1.6M7.6 11.4H13M9.9 3.1a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM6.1 9.9a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z',
  contrast: 'M8 2.4a5.6 5.6 0 1 1 0 11.2A5.6 5.6 0 0 1 8 2.4zM8 2.4v11.2M8 5h3.6M8 8h5.4M8 11h3.6',
  menu: 'M2.6 4.4h10.8M2.6 8h10.8M2.6 11.6h10.8',
  more: 'M3.6 8h.01M8 8h.01M12.4 8h.01',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.6 5.6h7.6v7.6H5.6zM10.4 5.4V2.8H2.8v7.6h2.6',
  check: 'M3 8.6 6.4 12 13 4.6',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3.2 3.2',
  right: 'M6.2 3.6 10.6 8l-4.4 4.4',
  down: 'M3.6 6.2 8 10.6l4.4-4.4',
  key: 'M10.6 2.6a3 3 0 1 1-2.6 4.5L3 12.2v1.2h2v-1.6h1.6v-1.6h1.2l.9-1M11 5.2h.01',
  warning: 'M8 2.4 14 13H2zM8 6.6v3M8 11.3h.01',
  out: 'M6.4 2.8H3.2v10.4h3.2M6.4 8h7M10.8 5.2 13.6 8l-2.8 2.8',
  keyboard: 'M1.8 4h12.4v8H1.8zM4.2 6.6h.01M6.8 6.6h.01M9.4 6.6h.01M12 6.6h.01M5 9.4h6',
  external: 'M9.4 2.8h3.8v3.8M13 3 7.6 8.4M11.4 9.6v3.6H2.8V4.6h3.6',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6L13 5.8M13 2.6v3.2H9.8',
  undo: 'M3 3v4h4M3.4 6.8A5 5 0 1 1 4 11.4',
  filter: 'M2.4 3.6h11.2L9.4 8.6v4.2l-2.8-1.4V8.6z',
  download: 'M8 2.6v7.2M5 7l3 2.9L11 7M2.8 13.2h10.4',
  clock: 'M8 2.4a5.6 5.6 0 1 1 0 11.2A5.6 5.6 0 0 1 8 2.4zM8 5v3.2l2.2 1.4',
  person: 'M8 2.6a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM2.8 13.4c.6-2.6 2.6-3.8 5.2-3.8s4.6 1.2 5.2 3.8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside words; it says nothing by itself. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
