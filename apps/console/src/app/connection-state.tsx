import { useReachable } from '../gateway/context.js';

/** Whether what is shown is up to date. */
export function ConnectionState() {
  const is_reachable = useReachable();
  return (
    <span class={`status connection tone-${is_reachable ? 'good' : 'bad'}`} role="status">
      <span class="status-dot" aria-hidden="true" />
      {is_reachable ? 'Connected' : 'No connection'}
    </span>
  );
}
