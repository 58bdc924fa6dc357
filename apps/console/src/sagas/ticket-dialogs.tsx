import { useState } from 'preact/hooks';
import { Select } from '../elements/field.js';
import { useToast } from '../elements/toast.js';
import { ReasonDialog } from './reason-dialog.js';
import { closedText, type Ticket, type TicketAction } from './saga.js';
import { CancelDialog } from './saga-controls.js';
import { useResolution, useSagaAct } from './use-saga-acts.js';

interface TicketDialogProps {
  ticket: Ticket;
  action: TicketAction;
  onClose: () => void;
}

type Decision = 'retry' | 'done_by_hand' | 'accept';

const TEXTS: Readonly<Record<Decision, { title: string; text: string; confirm: string; done: string }>> = {
  retry: {
    title: 'Try again?',
    text: 'The call is made again with the same key and inputs: what took effect before is not done twice.',
    confirm: 'Try again',
    done: 'It is tried again',
  },
  done_by_hand: {
    title: 'Done by hand?',
    text: 'You state that a person did what the saga could not. It goes on as if it had done so itself.',
    confirm: 'It was done by hand',
    done: 'Recorded as done by hand',
  },
  accept: {
    title: 'Leave it as it is?',
    text: 'The effect stays. The saga goes on without this step or its undo.',
    confirm: 'Leave it as it is',
    done: 'Recorded: it stays as it is',
  },
};

/** The dialog of an action of a ticket. */
export function TicketDialog({ ticket, action, onClose }: TicketDialogProps) {
  if (action.act === 'cancel') return <CancelDialog saga_id={ticket.saga_id} onClose={onClose} />;
  if (action.act === 'resolve_call') return <ResolveDialog ticket={ticket} call_id={ticket.call_id ?? ''} onClose={onClose} />;
  if (action.act === 'undo_call') return null;
  return <DecisionDialog ticket={ticket} act={action.act} step_id={action.step_id ?? undefined} onClose={onClose} />;
}

interface DecisionDialogProps {
  ticket: Ticket;
  act: Decision;
  step_id: string | undefined;
  onClose: () => void;
}

function DecisionDialog({ ticket, act, step_id, onClose }: DecisionDialogProps) {
  const { saga_id, ticket_id } = ticket;
  const decision = useSagaAct(saga_id);
  const toast = useToast();
  const { title, text, confirm, done } = TEXTS[act];
  const send = async (reason: string | undefined) => {
    const { ok } = await decision.run({ act, step_id, reason });
    if (ok) toast({ tone: 'good', text: done });
    return ok;
  };
  return (
    <ReasonDialog
      title={title}
      draft={`saga-ticket:${ticket_id}:${act}`}
      confirm={confirm}
      is_reason_required={act !== 'retry'}
      overtaken={overtakenBy(ticket)}
      is_pending={decision.is_pending}
      problem={decision.problem}
      onConfirm={send}
      onClose={onClose}
    >
      <p>{text}</p>
    </ReasonDialog>
  );
}

/** How a ticket was closed while its dialog was open. */
const overtakenBy = ({ closed_at, closed_as }: Ticket): string | undefined =>
  closed_at === null ? undefined : `The ticket is closed: ${closedText(closed_as)}.`;

const OUTCOMES = [
  ['', 'Choose what the system of record says'],
  ['happened', 'It took effect'],
  ['did_not_happen', 'It did not take effect'],
] as const;

function ResolveDialog({ ticket, call_id, onClose }: { ticket: Ticket; call_id: string; onClose: () => void }) {
  const { saga_id, ticket_id } = ticket;
  const [resolution, setResolution] = useState('');
  const resolving = useResolution(saga_id);
  const toast = useToast();
  const send = async (reason: string | undefined) => {
    if (resolution !== 'happened' && resolution !== 'did_not_happen') return false;
    const { ok } = await resolving.run({ call_id, resolution, reason: reason ?? '' });
    if (ok) toast({ tone: 'good', text: 'The outcome is recorded; the saga goes on' });
    return ok;
  };
  return (
    <ReasonDialog
      title="Resolve the call"
      draft={`saga-ticket:${ticket_id}:resolve`}
      confirm="Record the outcome"
      is_reason_required
      overtaken={overtakenBy(ticket)}
      is_complete={resolution !== ''}
      is_pending={resolving.is_pending}
      problem={resolving.problem}
      onConfirm={send}
      onClose={onClose}
    >
      <p>Ask the system of record whether the call took effect. The saga goes on, or turns back, by your answer.</p>
      <Select label="Outcome" value={resolution} onValue={setResolution} options={OUTCOMES} />
    </ReasonDialog>
  );
}
