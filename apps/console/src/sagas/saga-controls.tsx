import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { useToast } from '../elements/toast.js';
import { useSession } from '../gateway/context.js';
import { ReasonDialog } from './reason-dialog.js';
import { mayControl } from './rights.js';
import { hasEnded, isTurned, type Saga } from './saga.js';
import { useSagaAct } from './use-saga-acts.js';

/** Pause, resume and cancel, for those who may. */
export function SagaControls({ saga }: { saga: Saga }) {
  const session = useSession();
  const toast = useToast();
  const clock = useSagaAct(saga.saga_id);
  const [is_cancelling, setCancelling] = useState(false);
  if (!is_cancelling && (hasEnded(saga) || !mayControl(session, saga))) return null;
  const act = saga.paused ? 'resume' : 'pause';
  const turn = async () => {
    const answer = await clock.run({ act });
    const text = act === 'pause' ? 'Paused: it starts nothing more' : 'Resumed';
    toast(answer.ok ? { tone: 'good', text } : { tone: 'bad', text: answer.problem.detail ?? answer.problem.title });
  };
  return (
    <>
      <Button is_busy={clock.is_pending} onClick={turn}>
        {saga.paused ? 'Resume' : 'Pause'}
      </Button>
      {!isTurned(saga) && (
        <Button look="danger" onClick={() => setCancelling(true)}>
          Cancel the saga
        </Button>
      )}
      {is_cancelling && <CancelDialog saga_id={saga.saga_id} onClose={() => setCancelling(false)} />}
    </>
  );
}

/** What cancelling does, and its confirmation. */
export function CancelDialog({ saga_id, onClose }: { saga_id: string; onClose: () => void }) {
  const cancel = useSagaAct(saga_id);
  const toast = useToast();
  const send = async (reason: string | undefined) => {
    const { ok } = await cancel.run({ act: 'cancel', reason });
    if (ok) toast({ tone: 'good', text: 'Cancelled: its effects are undone now' });
    return ok;
  };
  return (
    <ReasonDialog
      title="Cancel the saga?"
      draft={`saga-cancel:${saga_id}`}
      confirm="Cancel the saga"
      look="danger"
      is_pending={cancel.is_pending}
      problem={cancel.problem}
      onConfirm={send}
      onClose={onClose}
    >
      <p>
        It starts no further steps, and the effects of its steps are undone, the newest first. An irreversible step that took effect stays,
        with all that took effect before it. This cannot be taken back.
      </p>
    </ReasonDialog>
  );
}
