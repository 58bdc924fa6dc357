import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useSession } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { mayDecideTickets } from './rights.js';
import type { Ticket, TicketAction } from './saga.js';
import { TicketDialog } from './ticket-dialogs.js';

const KINDS: Readonly<Record<Ticket['ticket'], string>> = {
  in_doubt: 'Call in doubt',
  failed_after_pivot: 'Failed after an irreversible step',
  overdue_after_pivot: 'Late after an irreversible step',
  compensation_failed: 'Undo failed',
  late_effect: 'Late effect',
};

const ACTIONS: Readonly<Record<TicketAction['act'], string>> = {
  retry: 'Retry',
  done_by_hand: 'Done by hand',
  accept: 'Leave it as it is',
  cancel: 'Cancel the saga',
  resolve_call: 'Resolve the call',
  undo_call: 'Undo the call',
};

/** Something that only a person can decide: what happened, and what may be done. It stays while its dialog is open. */
export function TicketCard({ ticket, onHold }: { ticket: Ticket; onHold: (is_held: boolean) => void }) {
  const session = useSession();
  const [action, setAction] = useState<TicketAction>();
  const choose = (chosen: TicketAction | undefined) => {
    setAction(chosen);
    onHold(chosen !== undefined);
  };
  const { call_id, step_id, actions } = ticket;
  return (
    <article class="saga-card saga-ticket" aria-label={`Ticket: ${KINDS[ticket.ticket]}`}>
      <div class="row row-spread">
        <StatusBadge status={ticket.ticket} word={KINDS[ticket.ticket]} tone="bad" />
        <span class="soft">
          opened <RelativeTime at={ticket.opened_at} />
        </span>
      </div>
      <p>{ticket.what}</p>
      <p class="soft">
        {step_id && (
          <>
            Step <InertText text={step_id} mono />
          </>
        )}
        {call_id && (
          <>
            {step_id ? ', ' : ''}
            <Link href={pathTo('/calls/:id', { id: call_id })}>its call</Link>
          </>
        )}
      </p>
      {mayDecideTickets(session) ? (
        <div class="row">
          {actions.map((each) => (
            <ActionButton key={each.act} action={each} call_id={call_id} onAct={() => choose(each)} />
          ))}
        </div>
      ) : (
        <p class="soft">An operator decides.</p>
      )}
      {action && <TicketDialog ticket={ticket} action={action} onClose={() => choose(undefined)} />}
    </article>
  );
}

/** The undo of a call has its own page with a preview. */
function ActionButton({ action, call_id, onAct }: { action: TicketAction; call_id: string | null; onAct: () => void }) {
  if (action.act === 'undo_call') return <Link href={pathTo('/calls/:id', { id: call_id ?? '' })}>{ACTIONS.undo_call}</Link>;
  return (
    <Button look={action.act === 'cancel' ? 'danger' : 'default'} title={action.what} onClick={onAct}>
      {ACTIONS[action.act]}
    </Button>
  );
}
