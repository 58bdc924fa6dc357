import { InertText } from '../elements/inert.js';
import { Tag } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Schemas } from '../gateway/schemas.js';
import { Link } from '../navigation/link.js';

type Item = Schemas['UndoItem'];
type Names = ReadonlyMap<string, string>;

/** So many effects that stay are shown at once. */
const FOLDED_FROM = 4;

/** What an undo would do, effect by effect, and what it leaves. */
export function UndoPreviewView({ preview, names }: { preview: Schemas['UndoPreview']; names: Names }) {
  const { items, blocked_by } = preview;
  const undoable = items.filter((item) => item.undoable);
  const others = items.filter((item) => !item.undoable);
  return (
    <div class="stack">
      {items.length === 0 && <p class="soft">No call here has had an effect. There is nothing to undo.</p>}
      {blocked_by.length > 0 && (
        <p class="notice notice-warn">
          Later effects on the same resources stand in the way: {blocked_by.length}. They are named below. Undo them first, or leave this as
          it is.
        </p>
      )}
      {undoable.length > 0 && <Items title="Will be undone, newest first" items={undoable} names={names} />}
      {others.length >= FOLDED_FROM ? (
        <details>
          <summary>{`${others.length} effects stay as they are`}</summary>
          <Items items={others} names={names} />
        </details>
      ) : (
        others.length > 0 && <Items title="Stays as it is" items={others} names={names} />
      )}
      {items.length > 0 && (
        <p class="field-hint">
          Each undo is a call of its own: policy decides it, it runs once, and it is on the record. Bound to this preview{' '}
          <code title={preview.preview_digest}>{preview.preview_digest.slice(0, 12)}</code>: if anything changes, nothing is undone.
        </p>
      )}
    </div>
  );
}

function Items({ title, items, names }: { title?: string; items: readonly Item[]; names: Names }) {
  return (
    <section class="stack-tight">
      {title && <h3>{`${title} (${items.length})`}</h3>}
      <ul class="undo-items">
        {items.map((item) => (
          <li key={item.call_id} class="undo-item">
            <div class="row">
              <Link href={`/calls/${encodeURIComponent(item.call_id)}`}>
                <InertText text={names.get(item.call_id) ?? item.tool} characters_max={160} />
              </Link>
              {item.happened_at && <RelativeTime at={item.happened_at} />}
              {item.undoable && item.undo_until && (
                <span class="faint">
                  can be undone until <RelativeTime at={item.undo_until} />
                </span>
              )}
              {item.approval?.required && <Tag tone="warn">needs an approval</Tag>}
            </div>
            <p class={item.undoable ? '' : 'soft'}>
              <InertText text={(item.undoable ? item.how : (item.detail ?? item.reason)) ?? ''} look="block" />
            </p>
            {item.approval?.required && (
              <p class="soft">
                Rule {item.approval.rule} asks {item.approval.quorum} of: {item.approval.approver_roles.join(', ')}
              </p>
            )}
            <LaterEffects item={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const SHOWN = 10;

function LaterEffects({ item: { changed_since } }: { item: Item }) {
  if (changed_since.length === 0) return null;
  return (
    <div class="undo-later">
      <span class="soft">Changed since by</span>
      <ul>
        {changed_since.slice(0, SHOWN).map(({ call_id, tool, principal, at, selected }) => (
          <li key={call_id}>
            <Link href={`/calls/${encodeURIComponent(call_id)}`}>
              <InertText text={tool} characters_max={80} />
            </Link>{' '}
            of <InertText text={principal?.id ?? 'an unknown caller'} characters_max={60} /> {at && <RelativeTime at={at} />}{' '}
            {selected && <Tag>also undone</Tag>}
          </li>
        ))}
      </ul>
      {changed_since.length > SHOWN && <span class="faint">and {changed_since.length - SHOWN} more</span>}
    </div>
  );
}
