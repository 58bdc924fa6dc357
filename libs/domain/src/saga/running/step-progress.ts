import { type StepBlock, usesOf } from '../definition/definition.js';
import { mayChangeLevel, nextLevel } from './level-skip.js';
import { DONE, type Due, openPart, type Part } from './part.js';
import { inDoubt, type Run, type RunEnd, type RunningSaga, type StepEntry } from './state.js';

export type { Due } from './part.js';

function failedPart(entry: StepEntry, id: string, seq: number): Part {
  return { ...DONE, verdict: 'failed', runs: entry.runs, seq, failed_step_id: id };
}

/** The progress of the manual task, the last level. */
function manualPart(saga: RunningSaga, block: StepBlock, id: string, entry: StepEntry): Part {
  const wait = saga.waits.get(id);
  if (wait?.wait !== 'manual') return { ...openPart({ kind: 'manual', id, name: block.name }), runs: entry.runs };
  if (wait.end === null) return { ...openPart(), runs: entry.runs, waits: [id] };
  const { ended_as, seq } = wait.end;
  return ended_as === 'answered' ? { ...DONE, runs: entry.runs, seq } : failedPart(entry, id, seq);
}

/** Only a failure without an effect starts the next level. A denial is a decision that no other tool may bypass. */
function afterLevel(saga: RunningSaga, block: StepBlock, id: string, entry: StepEntry): Part {
  const seq = Math.max(entry.runs.at(-1)?.end?.seq ?? 0, entry.skips.at(-1)?.seq ?? 0);
  if (!mayChangeLevel(entry)) return failedPart(entry, id, seq);
  const level = nextLevel(entry);
  if (level < usesOf(block).length) return { ...openPart({ kind: 'step', id, name: block.name, level }), runs: entry.runs };
  return block.manual === undefined ? failedPart(entry, id, seq) : manualPart(saga, block, id, entry);
}

/** A call with repaired inputs is due, unless its level was skipped since. */
const isRepairing = ({ is_repaired, seq }: RunEnd, { skips }: StepEntry): boolean => is_repaired && (skips.at(-1)?.seq ?? -1) < seq;

/** The call whose answer is that of the step: the last one, or an empty answer of a read whose repaired inputs then failed. */
function answered(last: Run, runs: readonly Run[]): Run | undefined {
  if (last.end?.status === 'succeeded') return last;
  return runs.findLast(({ level, is_write, end }) => level === last.level && !is_write && end?.status === 'succeeded');
}

/** The progress of one step. */
export function stepPart(saga: RunningSaga, block: StepBlock, id: string): Part {
  const entry = saga.steps.get(id);
  const due = (level: number): Due => ({ kind: 'step', id, name: block.name, level });
  if (!entry) return openPart(due(0));
  const { runs, mark } = entry;
  const last = runs.at(-1);
  if (mark === 'skipped' || mark === 'excused') return { ...DONE, runs, seq: Math.max(entry.mark_seq, last?.end?.seq ?? 0) };
  if (entry.retry_level !== null) return { ...openPart(due(entry.retry_level)), runs };
  if (mark === 'unprepared') return failedPart(entry, id, last?.end?.seq ?? 0);
  if (!last) return afterLevel(saga, block, id, entry);
  const waiting = saga.waits.get(id);
  const waits = waiting?.wait === 'call_approval' && waiting.end === null ? [id] : [];
  if (last.end === null) return { ...openPart(), runs, waits };
  if (inDoubt(last)) return { ...openPart(), runs };
  if (isRepairing(last.end, entry)) return { ...openPart(due(last.level)), runs };
  const answer = answered(last, runs);
  if (answer?.end) return { ...DONE, runs, seq: answer.end.seq };
  return afterLevel(saga, block, id, entry);
}
