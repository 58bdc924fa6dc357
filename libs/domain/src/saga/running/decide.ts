import type { SagaCommand, StartSaga } from './commands.js';
import { consequencesOf } from './consequences.js';
import { control } from './decide-control.js';
import { chooseBranch, endStep, failBlock, prepareStep, readList, skipLevel, skipStep, unpreparedStep } from './decide-step.js';
import { endUndo, evidence, prepareUndo } from './decide-undo.js';
import { answerWait, approval, timer } from './decide-wait.js';
import { evolveSagaBy, startedSaga } from './evolve.js';
import type { SagaFact } from './facts.js';
import type { RunningSaga, SagaState } from './state.js';

/**
 * Without facts the command repeats a recorded one or came too late. `refused` has a message for people: what is wrong and what would be
 * right.
 */
export type SagaDecision = ({ kind: 'recorded' } & Decided) | { kind: 'refused'; message: string };

/** The facts of a decision, and the state that they lead to. */
interface Decided {
  facts: SagaFact[];
  state: SagaState;
}

/** More rounds of consequences mean a defect. */
const ROUNDS_MAX = 10_000;

function start(command: StartSaga, now_ms: number): Decided {
  const { definition } = command;
  const body: SagaFact<'saga_started'>['body'] = {
    saga_id: command.saga_id,
    case_id: command.case_id,
    definition: definition.name,
    definition_version: definition.version,
    definition_digest: command.definition_digest,
    definition_json: command.definition_json,
    by: command.by,
    authority: command.authority,
    inputs_json: command.inputs_json,
    request_digest: command.request_digest,
    source: command.source,
    steps: [],
    undoes: [...(command.undoes ?? [])],
    estimates: Object.entries(command.latencies).map(([step_name, latency_ms]) => ({ step_name, latency_ms })),
    deadline_at_ms: command.deadline_at_ms,
    wait_max_ms: definition.wait_max_ms,
    started_at_ms: now_ms,
  };
  return { facts: [{ event_type: 'saga_started', body }], state: startedSaga(body, definition) };
}

type Later = Exclude<SagaCommand, { kind: 'start' | 'recovered' }>;

function direct(command: Later, saga: RunningSaga): SagaFact[] | string {
  const { now_ms } = command;
  switch (command.kind) {
    case 'step_prepared':
      return prepareStep(saga, command, now_ms);
    case 'level_skipped':
      return skipLevel(saga, command, now_ms);
    case 'step_skipped':
      return skipStep(saga, command, now_ms);
    case 'step_unprepared':
      return unpreparedStep(saga, command, now_ms);
    case 'branch_chosen':
      return chooseBranch(saga, command, now_ms);
    case 'list_read':
      return readList(saga, command, now_ms);
    case 'block_failed':
      return failBlock(saga, command, now_ms);
    case 'step_ended':
      return endStep(saga, command, now_ms);
    case 'approval_opened':
    case 'approval_closed':
      return approval(saga, command, now_ms);
    case 'undo_prepared':
      return prepareUndo(saga, command, now_ms);
    case 'undo_ended':
      return endUndo(saga, command, now_ms);
    case 'evidence':
      return evidence(saga, command, now_ms);
    case 'wait_answered':
      return answerWait(saga, command, now_ms);
    case 'timer':
      return timer(saga, now_ms);
    case 'control':
      return control(saga, command, now_ms);
  }
}

/** Adds all consequences of the facts, in the order of their records. */
function withConsequences({ facts, state }: Decided, now_ms: number): Decided {
  const all = [...facts];
  let saga = state;
  for (let round = 0; saga && round < ROUNDS_MAX; round++) {
    const more = consequencesOf(saga, now_ms);
    if (more.length === 0) return { facts: all, state: saga };
    all.push(...more);
    saga = evolveSagaBy(saga, more);
  }
  if (saga) throw new Error(`saga ${saga.saga_id}: its consequences do not end`);
  return { facts: all, state: saga };
}

/** The result of a command. Pure: time, ids and keys are in the command. */
export function decideSaga(command: SagaCommand, saga: SagaState): SagaDecision {
  if (command.kind === 'start') {
    if (saga) return { kind: 'recorded', facts: [], state: saga };
    return { kind: 'recorded', ...withConsequences(start(command, command.now_ms), command.now_ms) };
  }
  if (!saga) return { kind: 'refused', message: 'there is no such saga: start it first' };
  if (command.kind === 'recovered') return { kind: 'recorded', ...withConsequences({ facts: [], state: saga }, command.now_ms) };
  const found = direct(command, saga);
  if (typeof found === 'string') return { kind: 'refused', message: found };
  if (found.length === 0) return { kind: 'recorded', facts: [], state: saga };
  return { kind: 'recorded', ...withConsequences({ facts: found, state: evolveSagaBy(saga, found) }, command.now_ms) };
}
