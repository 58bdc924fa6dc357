import { RelativeTime } from '../elements/time-ago.js';

/** When something was last used, as far as it is recorded. */
export function LastUse({ at }: { at: string | null | undefined }) {
  return at ? <RelativeTime at={at} /> : <span class="faint">No recorded use</span>;
}
