import { holdClock, releaseClock } from './clock.js';
import { ownEntry, ownRun } from './copy.js';
import type { SagaFact } from './facts.js';
import { levelOfRetry } from './level-skip.js';
import { hasTicket, isStuck, type RunningSaga, runsOf } from './state.js';

type ControlFact = SagaFact<'saga_controlled' | 'saga_timer_fired' | 'saga_compensation_started' | 'saga_ticket_opened' | 'saga_ended'>;

const PAUSE = '(pause)';

function resume(saga: RunningSaga, at_ms: number): void {
  saga.paused_until_ms = null;
  releaseClock(saga, PAUSE, at_ms);
}

/** Whether retry, done_by_hand or accept leaves a ticket open. A late effect is answered for its step only, and not by a retry. */
function staysOpen(
  { ticket, step_id: of }: RunningSaga['tickets'][number],
  { act, step_id }: SagaFact<'saga_controlled'>['body'],
): boolean {
  if (ticket === 'late_effect') return act === 'retry' || of !== step_id;
  return ticket === 'in_doubt' || (step_id !== null && of !== step_id);
}

/** Applies retry, done_by_hand or accept to stuck compensations, or to one failed step while the saga runs forward. */
function decided(saga: RunningSaga, body: SagaFact<'saga_controlled'>['body']): void {
  const { act, step_id } = body;
  const answered = saga.tickets.filter((ticket) => !staysOpen(ticket, body));
  const state = act === 'retry' ? 'again' : act === 'accept' ? 'accepted' : 'by_hand';
  const stuck = runsOf(saga).filter((run) => isStuck(run) && (step_id === null || run.step_id === step_id));
  for (const { call_id } of stuck) {
    const run = ownRun(saga, call_id);
    if (run?.undo) run.undo = { ...run.undo, state, seq: saga.seq };
  }
  saga.tickets = saga.tickets.filter((ticket) => staysOpen(ticket, body));
  const is_of_late_effect = answered.length > 0 && answered.every(({ ticket }) => ticket === 'late_effect');
  if (step_id === null || is_of_late_effect || stuck.length > 0 || saga.turned || !saga.steps.has(step_id)) return;
  const entry = ownEntry(saga, step_id);
  if (act !== 'retry') Object.assign(entry, { mark: 'excused', mark_seq: saga.seq });
  else {
    const retry_level = levelOfRetry(entry);
    Object.assign(entry, { mark: null, retry_level, skips: entry.skips.filter(({ level }) => level < retry_level) });
    saga.waits.delete(step_id);
  }
}

function controlled(saga: RunningSaga, body: SagaFact<'saga_controlled'>['body']): void {
  if (saga.controls.has(body.command_id)) return;
  saga.controls.add(body.command_id);
  if (body.act === 'pause') {
    saga.paused_until_ms = body.controlled_at_ms + saga.wait_max_ms;
    holdClock(saga, PAUSE, body.controlled_at_ms);
  } else if (body.act === 'resume') resume(saga, body.controlled_at_ms);
  else if (body.act === 'cancel') {
    saga.is_cancelled = true;
    resume(saga, body.controlled_at_ms);
  } else decided(saga, body);
}

export function foldControl(saga: RunningSaga, at: ControlFact): void {
  switch (at.event_type) {
    case 'saga_controlled':
      controlled(saga, at.body);
      return;
    case 'saga_timer_fired':
      if (at.body.timer === 'deadline') saga.is_overdue = true;
      else if (saga.paused_until_ms !== null && saga.paused_until_ms <= at.body.fired_at_ms) resume(saga, at.body.fired_at_ms);
      return;
    case 'saga_compensation_started':
      saga.turned ??= { cause: at.body.cause, failed_step_id: at.body.failed_step_id };
      saga.tickets = saga.tickets.filter(({ ticket }) => ticket === 'late_effect' || ticket === 'in_doubt');
      return;
    case 'saga_ticket_opened': {
      const { ticket, step_id, call_id } = at.body;
      if (hasTicket(saga, { ticket, step_id, call_id })) return;
      saga.tickets.push({ ticket, step_id, call_id });
      return;
    }
    case 'saga_ended':
      saga.ended = at.body.status;
      saga.tickets = saga.tickets.filter(({ ticket }) => ticket === 'late_effect');
      return;
  }
}
