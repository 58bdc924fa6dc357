import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { useDraft } from '../navigation/draft.js';
import type { DecisionDialogProps } from './decision-dialog.js';

const REASON_MAX = 2_000;

/** Denies with a reason, which the terms may require. The text outlives a closed dialog and an ended session. */
export function DenyDialog({ approval, cast, onClose }: DecisionDialogProps) {
  const [reason, setReason, clear] = useDraft(`approval-reason:${approval.approval_id}`);
  const is_required = approval.terms?.reason_required_on_deny === true;
  const text = reason.trim();
  const has_ended = approval.status !== 'pending';
  const deny = () => {
    if ((is_required && text === '') || has_ended) return;
    cast({ vote: 'deny', ...(text === '' ? {} : { reason: text }) });
    clear();
  };
  return (
    <Dialog
      title="Deny this request"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={(is_required && text === '') || has_ended} onClick={deny}>
            Deny
          </Button>
        </>
      }
    >
      {has_ended && <p class="decision-reason">The request has ended meanwhile. Your text is kept.</p>}
      <TextArea
        label={is_required ? 'Reason' : 'Reason (optional)'}
        hint="It stays in the record, and the requester can read it."
        value={reason}
        onValue={setReason}
        required={is_required}
        characters_max={REASON_MAX}
        rows={4}
      />
    </Dialog>
  );
}
