import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { ProblemNote } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useDraft } from '../navigation/draft.js';
import type { DeadLetter } from './lists.js';

const REASON_CHARACTERS_MAX = 2_000;

/** Asks before a record is handed to its consumer again, and why. */
export function RequeueDialog({ letter, place, onClose }: { letter: DeadLetter; place: string; onClose: () => void }) {
  const { letter_id, consumer } = letter;
  const toast = useToast();
  const [reason, setReason, clear] = useDraft(`requeue:${letter_id}`);
  const requeue = useMutation(
    (api, body: { reason: string }) => api.POST('/v1/dead-letters/{letter_id}/requeue', { params: { path: { letter_id } }, body }),
    () => [{ kind: 'dead_letter' }],
  );
  const is_ready = reason.trim() !== '';
  const send = async () => {
    if (!is_ready) return;
    const answer = await requeue.run({ reason: reason.trim() });
    if (!answer.ok) return;
    clear();
    onClose();
    const { repeated, by } = answer.data;
    toast({ tone: 'good', text: repeated ? `${by.id.slice(0, 80)} had requeued it before` : 'Handed to its consumer again' });
  };
  const actions = (
    <>
      <Button onClick={onClose}>Back</Button>
      <Button look="primary" is_busy={requeue.is_pending} disabled={!is_ready} onClick={send}>
        Requeue
      </Button>
    </>
  );
  return (
    <Dialog title="Requeue the record?" onClose={onClose} actions={actions}>
      <div class="stack">
        <p>
          <InertText text={consumer} mono /> handles <InertText text={place} mono /> again, once. What it had done before is not done twice.
        </p>
        <TextArea
          label="What did you correct?"
          hint="It is recorded with your name."
          value={reason}
          onValue={setReason}
          required
          characters_max={REASON_CHARACTERS_MAX}
        />
        {requeue.problem && <ProblemNote problem={requeue.problem} />}
      </div>
    </Dialog>
  );
}
