import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextField } from '../elements/field.js';
import { ProblemNote } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { useMutation } from '../gateway/use-mutation.js';
import type { Call } from './call.js';
import { cancelWords, statusWords } from './status-words.js';

/** Cancels a call, and says before what that can and cannot do. */
export function CancelDialog({ call, onClose }: { call: Call; onClose: () => void }) {
  const { call_id, status } = call;
  const [reason, setReason] = useState('');
  const [only_before_fire, setOnlyBefore] = useState(false);
  const toast = useToast();
  const cancelling = useMutation(
    (api) =>
      api.POST('/v1/calls/{call_id}/cancel', {
        params: { path: { call_id } },
        body: { ...(reason.trim() === '' ? {} : { reason: reason.trim() }), only_before_fire },
      }),
    () => [{ kind: 'call', id: call_id }, { kind: 'case' }, { kind: 'approval' }],
  );
  const send = async () => {
    const answer = await cancelling.run(undefined);
    if (!answer.ok) return;
    toast({
      text: answer.data.status === 'cancelled' ? 'The call is cancelled.' : 'The cancellation is recorded. The call has not ended yet.',
    });
    onClose();
  };
  const can = cancelWords(status);
  return (
    <Dialog
      title="Cancel the call"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button look="danger" is_busy={cancelling.is_pending} disabled={can === undefined} onClick={send}>
            Cancel the call
          </Button>
        </>
      }
    >
      <p>{can ?? `The call has changed meanwhile: ${statusWords(status).means} It can no longer be cancelled.`}</p>
      {status === 'running' && (
        <label class="choice">
          <input type="checkbox" checked={only_before_fire} onChange={(event) => setOnlyBefore(event.currentTarget.checked)} />
          Only if it has not taken effect yet; otherwise let it finish
        </label>
      )}
      {can !== undefined && (
        <TextField label="Reason" hint="Optional. Kept on the record." value={reason} onValue={setReason} characters_max={1000} />
      )}
      {cancelling.problem && <ProblemNote problem={cancelling.problem} />}
    </Dialog>
  );
}
