import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Approval } from './approval.js';

/** How a request ended: by whom, when and why. */
export function EndedNote({ approval: { status, decided_by, decided_at, reason } }: { approval: Approval }) {
  return (
    <div class="ended" role="status">
      <StatusBadge status={status} />
      <span>
        {decided_by && (
          <>
            by <InertText text={decided_by} characters_max={60} />{' '}
          </>
        )}
        {decided_at && <RelativeTime at={decided_at} />}
      </span>
      {reason && (
        <span class="soft">
          <InertText text={`“${reason}”`} characters_max={300} />
        </span>
      )}
    </div>
  );
}
