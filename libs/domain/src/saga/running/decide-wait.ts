import type { AnswerWait, SagaCommand } from './commands.js';
import { cancelRun, endWait, fact, STEP_DEADLINE } from './drafts.js';
import type { SagaFact } from './facts.js';
import { deadlineOf, isAsking, isLive, type Run, type RunningSaga, runDeadlineOf, runsOf } from './state.js';

type Approval = Extract<SagaCommand, { kind: 'approval_opened' | 'approval_closed' }>;

/** The run that this call makes, or undoes, and that has not ended. */
function openRun(saga: RunningSaga, call_id: string): Run | undefined {
  return runsOf(saga).find(({ end, undo, ...run }) =>
    end === null ? run.call_id === call_id : undo?.call_id === call_id && undo.state === 'requested',
  );
}

/** Pauses the clock while the approval of a step's call, or of its undo, is open, for at most `wait_max_ms`. */
export function approval(saga: RunningSaga, { kind, call_id }: Approval, now_ms: number): SagaFact[] {
  const run = openRun(saga, call_id);
  if (!run || saga.ended) return [];
  const open = saga.waits.get(run.step_id);
  const is_open = isAsking(saga, run);
  if (kind === 'approval_closed') return is_open ? [endWait(saga, run.step_id, 'answered', now_ms)] : [];
  if (is_open || run.is_cancelling || (open && run.end === null)) return [];
  const until_ms = now_ms + saga.wait_max_ms;
  return [
    fact(saga, 'saga_wait_opened', { step_id: run.step_id, wait: 'call_approval', event_name: null, until_ms, opened_at_ms: now_ms }),
  ];
}

/** Answers an approval, an event or a manual task; a `time` wait takes no answer. */
export function answerWait(saga: RunningSaga, command: AnswerWait, now_ms: number): SagaFact[] | string {
  const { step_id, is_refused, answer_json, reason, by, command_id, source } = command;
  const wait = saga.waits.get(step_id);
  if (!wait) return `no wait of this saga has the id ${step_id}`;
  if (wait.end !== null || saga.ended) return [];
  if (wait.wait === 'time' || wait.wait === 'call_approval')
    return `${step_id} waits for ${wait.wait === 'time' ? 'a moment' : 'the approval of its call'}: it takes no answer`;
  const ended_as = is_refused ? 'refused' : 'answered';
  return [fact(saga, 'saga_wait_ended', { step_id, ended_as, answer_json, reason, by, command_id, source, ended_at_ms: now_ms })];
}

/** Calls that are to be cancelled when their share of the time is over, with that time. */
function timedRuns(saga: RunningSaga): { run: Run; at_ms: number }[] {
  return runsOf(saga).flatMap((run) => {
    const at_ms = isLive(run) && !run.is_cancelling ? runDeadlineOf(saga, run) : null;
    return at_ms === null ? [] : [{ run, at_ms }];
  });
}

/** The times at which the saga changes by itself; its one timer is set to the earliest. */
export function momentsOf(saga: RunningSaga): number[] {
  if (saga.ended) return [];
  const open = [...saga.waits.values()].filter((wait) => wait.end === null).map((wait) => wait.until_ms);
  const deadline_ms = saga.turned || saga.is_overdue || saga.is_cancelled ? null : deadlineOf(saga);
  const runs = timedRuns(saga).map(({ at_ms }) => at_ms);
  return [
    ...open,
    ...runs,
    ...(deadline_ms === null ? [] : [deadline_ms]),
    ...(saga.paused_until_ms === null ? [] : [saga.paused_until_ms]),
  ];
}

export function timer(saga: RunningSaga, now_ms: number): SagaFact[] {
  if (saga.ended) return [];
  const expired = [...saga.waits].filter(([, wait]) => wait.end === null && wait.until_ms <= now_ms);
  const facts = expired.map(([id, wait]) => endWait(saga, id, wait.wait === 'time' ? 'answered' : 'expired', now_ms));
  const fired = (timer: 'pause' | 'deadline') => fact(saga, 'saga_timer_fired', { timer, fired_at_ms: now_ms });
  if (saga.paused_until_ms !== null && saga.paused_until_ms <= now_ms) facts.push(fired('pause'));
  const deadline_ms = deadlineOf(saga);
  if (deadline_ms !== null && deadline_ms <= now_ms && !saga.is_overdue && !saga.turned && !saga.is_cancelled)
    return [...facts, fired('deadline')];
  const overdue = timedRuns(saga).filter(({ at_ms }) => at_ms <= now_ms);
  return [...facts, ...overdue.map(({ run }) => cancelRun(saga, run, STEP_DEADLINE, now_ms))];
}
