import { Refusal } from '@countersign/calls';
import type { UndoPreview } from './undo.schemas.js';

/** Why an undo does not run as it was previewed; undefined if it does. */
export function undoRefusal(preview: UndoPreview, preview_digest: string): Refusal | undefined {
  if (preview.preview_digest !== preview_digest)
    return new Refusal('conflict', 'the undo would differ from the preview: request a new preview', {
      reason: 'undo_preview_changed',
      preview_digest: preview.preview_digest,
    });
  const later_effects = preview.items.flatMap(({ undoable, changed_since }) =>
    undoable ? changed_since.filter((one) => !one.selected) : [],
  );
  if (later_effects.length > 0)
    return new Refusal('conflict', 'later effects on the same resources are not part of the undo', {
      reason: 'later_effects',
      later_effects,
    });
  if (!preview.items.some(({ undoable }) => undoable))
    return new Refusal('not-undoable', 'no call of the selection can be undone', { reason: 'nothing_to_undo' });
  return undefined;
}
