import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { SagaWithSteps, Ticket, Wait } from './saga.js';
import { waitState } from './step-states.js';
import { waitText } from './wait-answer.js';

const CLOSED: Readonly<Record<string, string>> = {
  retry: 'tried again',
  accept: 'left as it was',
  done_by_hand: 'done by hand',
  evidence: 'resolved by evidence',
  turned: 'the saga turned back',
  ended: 'the saga ended',
};

/** What people decided: answered waits, and closed tickets. */
export function PastWaits({ saga }: { saga: SagaWithSteps }) {
  const waits = saga.waits.filter(({ ended_as }) => ended_as !== null);
  const tickets = saga.tickets.filter(({ closed_at }) => closed_at !== null);
  if (waits.length + tickets.length === 0) return null;
  return (
    <section class="stack-tight" aria-labelledby="decided-title">
      <h2 id="decided-title">Decided</h2>
      <ul class="saga-past">
        {waits.map((wait) => (
          <PastWait key={wait.step_id + wait.opened_at} {...wait} />
        ))}
        {tickets.map((ticket) => (
          <PastTicket key={ticket.ticket_id} {...ticket} />
        ))}
      </ul>
    </section>
  );
}

function PastWait(wait: Wait) {
  const { word, tone } = waitState(wait);
  return (
    <li>
      <StatusBadge status={wait.ended_as ?? ''} word={word} tone={tone} />
      <InertText text={waitText(wait)} />
      {wait.ended_by && (
        <span class="soft">
          by <InertText text={`${wait.ended_by.kind} ${wait.ended_by.id}`} />
        </span>
      )}
      {wait.reason !== null && <InertText text={`“${wait.reason}”`} />}
      {wait.ended_at !== null && <RelativeTime at={wait.ended_at} />}
    </li>
  );
}

function PastTicket({ what, step_id, closed_as, closed_at }: Ticket) {
  return (
    <li>
      <StatusBadge status="closed" word={`Ticket ${CLOSED[closed_as ?? ''] ?? 'closed'}`} tone="neutral" />
      {step_id !== null && <InertText text={step_id} mono />}
      <span class="soft">{what}</span>
      {closed_at !== null && <RelativeTime at={closed_at} />}
    </li>
  );
}
