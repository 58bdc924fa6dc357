import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { RemovalDialog } from '../forms/removal-dialog.js';
import { useChange } from '../forms/use-change.js';
import { withLimitRace } from './limit-race.js';
import { type Limit, limitSentence } from './limit-words.js';

/** Asks before a limit no longer holds. */
export function LimitRemoval({ limit: shown, onClose }: { limit: Limit; onClose: () => void }) {
  const [limit] = useState(shown);
  const removed = useChange((api, _input: undefined) =>
    api.DELETE('/v1/limits/{limit_id}', { params: { path: { limit_id: limit.limit_id }, header: { 'If-Match': limit.etag } } }),
  );
  return (
    <RemovalDialog
      title="Remove this limit?"
      action="Remove"
      removing={{ ...removed, problem: withLimitRace(removed.problem, shown) }}
      done="The limit is removed"
      onCancel={onClose}
      onRemoved={onClose}
    >
      <p>
        Calls are no longer bounded by <InertText text={limit.limit_id} />: <InertText text={limitSentence(limit)} characters_max={300} />
      </p>
    </RemovalDialog>
  );
}
