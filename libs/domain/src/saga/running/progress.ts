import {
  type Block,
  type BranchBlock,
  type MapBlock,
  needed,
  type ParallelBlock,
  type SequenceBlock,
  type WaitBlock,
} from '../definition/definition.js';
import { instanceId } from './instance.js';
import { DONE, joinedParts, openPart, type Part } from './part.js';
import { inDoubt, isLive, type Run, type RunningSaga, stands } from './state.js';
import { type Due, stepPart } from './step-progress.js';

function sequencePart(saga: RunningSaga, block: SequenceBlock, indices: readonly number[]): Part {
  const parts: Part[] = [];
  for (const inner of block.blocks) {
    const part = partOf(saga, inner, indices);
    parts.push(part);
    if (part.verdict !== 'succeeded') break;
  }
  return joinedParts(parts, parts.at(-1)?.verdict ?? 'succeeded');
}

/** The part of a branch or map whose expression failed or that a person accepted; undefined if neither happened. */
function failedBlock(saga: RunningSaga, block_id: string): Part | undefined {
  const { mark, mark_seq = 0 } = saga.steps.get(block_id) ?? {};
  if (mark === 'excused') return { ...DONE, seq: mark_seq };
  return mark === 'unprepared' ? { ...DONE, verdict: 'failed', failed_step_id: block_id } : undefined;
}

function branchPart(saga: RunningSaga, block: BranchBlock, indices: readonly number[]): Part {
  const block_id = instanceId(block.name, indices);
  const failed = failedBlock(saga, block_id);
  if (failed) return failed;
  const choice = saga.blocks.get(block_id);
  if (choice === undefined) return openPart({ kind: 'choose', id: block_id, name: block.name });
  const chosen = block.choices[choice]?.block ?? block.otherwise;
  return chosen ? partOf(saga, chosen, indices) : DONE;
}

/** A losing branch is settled once none of its steps runs, is in doubt, or has an effect in place. */
const unsettled = (run: Run): boolean => isLive(run) || inDoubt(run) || stands(run);

/** When the last call of losing branches was settled: a compensation changes after the end of its call. */
const settledSeq = (runs: readonly Run[]): number => Math.max(0, ...runs.map(({ undo }) => undo?.seq ?? 0));

/**
 * Joins branches. Once enough have succeeded, the others are dropped, and the block ends when all of them are settled. Its place in the order
 * is that of the last record that it needed: else an outer join would change its winners after the fact.
 */
export function joinPart(parts: readonly Part[], need: number, total: number): Part {
  const winners = parts
    .filter((part) => part.verdict === 'succeeded')
    .sort((a, b) => a.seq - b.seq)
    .slice(0, need);
  const failed = parts.filter((part) => part.verdict === 'failed').length;
  if (winners.length < need) return joinedParts(parts, total - failed < need ? 'failed' : 'open');
  const losers = parts.filter((part) => !winners.includes(part));
  const won = joinedParts(winners, 'succeeded');
  const runs = losers.flatMap((part) => part.runs);
  const left = runs.filter(unsettled);
  const dropped = { ...won, runs: [...won.runs, ...runs], waits: [...won.waits, ...losers.flatMap((part) => part.waits)] };
  return {
    ...dropped,
    verdict: left.length > 0 ? 'open' : 'succeeded',
    seq: Math.max(won.seq, settledSeq(runs), ...losers.map((part) => part.seq)),
    due: won.due,
    drop: [...won.drop, ...runs.filter(isLive)],
    drop_waits: [...won.drop_waits, ...losers.flatMap((part) => part.waits)],
    undo: [...won.undo, ...runs],
  };
}

function parallelPart(saga: RunningSaga, block: ParallelBlock, indices: readonly number[]): Part {
  const parts = block.branches.map((branch) => partOf(saga, branch, indices));
  return joinPart(parts, needed(block.join, parts.length), parts.length);
}

function mapPart(saga: RunningSaga, block: MapBlock, indices: readonly number[]): Part {
  const block_id = instanceId(block.name, indices);
  const failed = failedBlock(saga, block_id);
  if (failed) return failed;
  const items = saga.blocks.get(block_id);
  if (items === undefined) return openPart({ kind: 'list', id: block_id, name: block.name });
  const parts: Part[] = [];
  let open = 0;
  for (let at = 0; at < items && open < Math.max(1, block.concurrency); at++) {
    const part = partOf(saga, block.body, [...indices, at]);
    if (part.verdict === 'open') open++;
    parts.push(part);
  }
  return joinPart(parts, needed(block.join, items), items);
}

function waitPart(saga: RunningSaga, block: WaitBlock, indices: readonly number[]): Part {
  const id = instanceId(block.name, indices);
  const entry = saga.waits.get(id);
  if (!entry) return openPart({ kind: 'wait', id, name: block.name });
  if (entry.end === null) return { ...openPart(), waits: [id] };
  const { ended_as, seq } = entry.end;
  const goes_on = ended_as === 'answered' || (ended_as === 'expired' && (block.wait === 'time' || block.on_timeout === 'continue'));
  return { ...DONE, verdict: goes_on ? 'succeeded' : 'failed', seq, failed_step_id: goes_on ? null : id };
}

/** The progress of a block, derived only from the records of its steps. */
export function partOf(saga: RunningSaga, block: Block, indices: readonly number[]): Part {
  switch (block.kind) {
    case 'step':
      return stepPart(saga, block, instanceId(block.name, indices));
    case 'sequence':
      return sequencePart(saga, block, indices);
    case 'branch':
      return branchPart(saga, block, indices);
    case 'parallel':
      return parallelPart(saga, block, indices);
    case 'map':
      return mapPart(saga, block, indices);
    case 'wait':
      return waitPart(saga, block, indices);
  }
}

/** A state never changes once it was returned, so its progress is computed once. */
const known = new WeakMap<RunningSaga, Part>();

export function progressOf(saga: RunningSaga): Part {
  const found = known.get(saga) ?? partOf(saga, saga.definition.root, []);
  known.set(saga, found);
  return found;
}

export const dueOf = (part: Part, kind: Due['kind'], id: string): Due | undefined =>
  part.due.find((due) => due.kind === kind && due.id === id);
