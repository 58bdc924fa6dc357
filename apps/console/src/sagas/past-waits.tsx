import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { closedText, type SagaWithSteps, type SkippedLevel, type Ticket, type Wait } from './saga.js';
import { waitState } from './step-states.js';
import { waitText } from './wait-answer.js';

const SKIPPED: Readonly<Record<SkippedLevel['reason'], string>> = {
  circuit_open: 'its circuit is open',
  rate_budget_empty: 'its rate budget was used up',
  deadline: 'it would not have ended in time',
};

/** What was decided: answered waits, closed tickets, and tools that were not called. */
export function PastWaits({ saga }: { saga: SagaWithSteps }) {
  const waits = saga.waits.filter(({ ended_as }) => ended_as !== null);
  const tickets = saga.tickets.filter(({ closed_at }) => closed_at !== null);
  if (waits.length + tickets.length + saga.skipped_levels.length === 0) return null;
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
        {saga.skipped_levels.map((level) => (
          <PastSkip key={`${level.step_id}/${level.level}`} {...level} />
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

function PastSkip({ step_id, tool, reason, skipped_at }: SkippedLevel) {
  return (
    <li>
      <StatusBadge status="skipped" word="Tool skipped" tone="neutral" />
      <InertText text={step_id} mono />
      <span class="soft">
        <InertText text={tool} /> was not called: {SKIPPED[reason]}
      </span>
      <RelativeTime at={skipped_at} />
    </li>
  );
}

function PastTicket({ what, step_id, closed_as, closed_at }: Ticket) {
  return (
    <li>
      <StatusBadge status="closed" word={`Ticket ${closedText(closed_as)}`} tone="neutral" />
      {step_id !== null && <InertText text={step_id} mono />}
      <span class="soft">{what}</span>
      {closed_at !== null && <RelativeTime at={closed_at} />}
    </li>
  );
}
