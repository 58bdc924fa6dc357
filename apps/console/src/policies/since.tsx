import { InertText } from '../elements/inert.js';
import { RelativeTime } from '../elements/time-ago.js';

/** When and by whom. */
export function Since({ at, by }: { at: string; by: string }) {
  return (
    <span>
      <RelativeTime at={at} /> by <InertText text={by} characters_max={120} />
    </span>
  );
}
