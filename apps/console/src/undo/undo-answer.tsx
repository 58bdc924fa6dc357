import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { Schemas } from '../gateway/schemas.js';
import { Link } from '../navigation/link.js';

/** What an undo has done so far. */
export function UndoAnswerView({ answer: { items, saga_id } }: { answer: Schemas['UndoAnswer'] }) {
  const undone = items.filter((item) => item.undone).length;
  return (
    <div class="stack" role="status">
      <p>
        <strong>
          {undone} of {items.length} undone.
        </strong>{' '}
        {saga_id !== null && undone < items.length && (
          <>
            The rest goes on by itself: <Link href={`/sagas/${encodeURIComponent(saga_id)}`}>follow it</Link>.
          </>
        )}
      </p>
      <ul class="undo-items">
        {items.map((item) => (
          <li key={item.call_id} class="undo-item">
            <div class="row">
              <StatusBadge
                status={item.undone ? 'compensated' : (item.status ?? 'pending')}
                {...(item.undone ? { word: item.confirmed === false ? 'Undone, not confirmed' : 'Undone' } : {})}
              />
              <Link href={`/calls/${encodeURIComponent(item.undo_call_id ?? item.call_id)}`}>
                <code>{item.undo_call_id ?? item.call_id}</code>
              </Link>
            </div>
            {(item.detail ?? item.reason) && (
              <p class="soft">
                <InertText text={item.detail ?? item.reason ?? ''} look="block" />
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
