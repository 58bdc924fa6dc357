import type { ClaimedResources, ClaimedTouch } from '@countersign/contracts';
import type { LoggedAttempt, LoggedEnd } from './logged-attempt.js';
import type { ExecutionState } from './row.js';

/** A row of the arbiter as it was read. */
export interface SeenRow {
  call_id: string;
  epoch: number;
  state: ExecutionState;
  source_offset: number;
  end_offset: number | null;
  ended_at_s: number | null;
  resources: ClaimedResources | null;
}

/** What was read together with the rows. */
export interface SeenWith {
  /** Ends on `tool-executed` below this are folded into rows. */
  ends_from: number;
  /** Of the epochs that rows or starts name: whether the lease was fenced, and whether its rows of this partition were all taken over. */
  leases: ReadonlyMap<number, { fenced: boolean; drained: boolean }>;
  /** The newest effect on a name, and on names below it; none: nothing acted on it. */
  generations: ReadonlyMap<string, { at_any: number; in_any: number }>;
}

const seconds = (ended_at_ms: number) => Math.floor(ended_at_ms / 1000);

const matches = (end: LoggedEnd, row: SeenRow): boolean =>
  end.offset === row.end_offset && end.state === row.state && (end.ended_at_ms === null || seconds(end.ended_at_ms) === row.ended_at_s);

/** Where the log ends it, in words. */
function endsOnLog({ ends }: LoggedAttempt): string {
  const last = ends.at(-1);
  return last ? `the log ends it as ${last.state} at offset ${last.offset}` : 'the log has its start but no end';
}

/** A row that says a later end than the log's first may not free a key by it. */
function isRepeat({ ends, repeats }: LoggedAttempt, row: SeenRow): boolean {
  const isFree = row.state !== 'released' || (ends.length > 0 && ends.every(({ state }) => state === 'released'));
  return isFree && repeats.some((end) => matches(end, row));
}

/** Whether the end that the row names left an effect, which could be undone. */
const hadEffect = ({ ends }: LoggedAttempt, { end_offset }: SeenRow): boolean =>
  ends.some(({ offset, state }) => offset === end_offset && (state === 'succeeded' || state === 'failed_with_effect'));

/** What is folded into the row may be behind the log, and never beside it. */
function wrongState(attempt: LoggedAttempt, row: SeenRow, ends_from: number): string | undefined {
  if (isRepeat(attempt, row)) return undefined;
  // What undid it may stand outside of the part of the log that was read: that its effect ended is what can be seen.
  if (row.state === 'compensated') return hadEffect(attempt, row) ? undefined : `its row says compensated, ${endsOnLog(attempt)}`;
  if (attempt.compensated_at !== null && attempt.compensated_at < ends_from)
    return `its row says ${row.state}, the log says that it was undone at offset ${attempt.compensated_at}`;
  const at = attempt.ends.findIndex((end) => matches(end, row));
  const isOpen = row.end_offset === null && (row.state === 'running' || row.state === 'reading');
  if (at < 0 && !isOpen) return `its row says ${row.state}, ${endsOnLog(attempt)}`;
  const unfolded = attempt.ends.slice(at + 1).find(({ offset }) => offset < ends_from);
  return unfolded && `its row says ${row.state}, ${endsOnLog(attempt)}`;
}

/** Who runs it: one of the epochs that started it, or one that took it over, which only happens to a fenced epoch. */
function wrongOwner({ epochs, ends }: LoggedAttempt, row: SeenRow, leases: SeenWith['leases']): string | undefined {
  if (ends.length > 0 || epochs.includes(row.epoch)) return undefined;
  const isTakenOver = leases.has(row.epoch) && epochs.some((epoch) => leases.get(epoch)?.fenced !== false);
  return isTakenOver ? undefined : `its row says epoch ${row.epoch}, the log has its start under epoch ${epochs.at(-1)}`;
}

const sameTouch = (a: ClaimedTouch, b: ClaimedTouch | undefined): boolean =>
  a.resource === b?.resource && a.exact === b.exact && a.replaces === b.replaces && a.seen === b.seen;

/** A resolution may move the generation of what it resolved. */
function sameResources(claimed: ClaimedResources, seen: ClaimedResources | null): boolean {
  if (seen === null || seen.settle_ms !== claimed.settle_ms || seen.generation < claimed.generation) return false;
  return seen.touched.length === claimed.touched.length && claimed.touched.every((touch, at) => sameTouch(touch, seen.touched[at]));
}

function wrongResources({ resources }: LoggedAttempt, row: SeenRow, generations: SeenWith['generations']): string | undefined {
  if (resources === null) return row.resources === null ? undefined : 'its row names resources, the log none';
  if (!sameResources(resources, row.resources)) return 'its row names other resources than the log';
  if (row.end_offset === null || row.state === 'released') return undefined;
  const missing = resources.touched.find(({ resource, exact }) => {
    const newest = generations.get(resource);
    return exact && (newest === undefined || Math.min(newest.at_any, newest.in_any) < resources.generation);
  });
  return missing && `generation ${resources.generation} of resource ${missing.resource} is missing, the log has an effect on it`;
}

/** What is wrong with the row of an attempt that started; undefined: it says what the log says. */
function wrongStarted(attempt: LoggedAttempt, row: SeenRow | undefined, seen: SeenWith): string | undefined {
  if (!row) return 'it has no row, the log has its start';
  if (row.call_id !== attempt.call_id) return `its row is of call ${row.call_id}`;
  const wrong = wrongState(attempt, row, seen.ends_from) ?? wrongOwner(attempt, row, seen.leases);
  if (wrong !== undefined) return wrong;
  if (!attempt.sources.some(({ offset }) => offset === row.source_offset))
    return `its row says source offset ${row.source_offset}, its start says ${attempt.sources.at(-1)?.offset}`;
  return wrongResources(attempt, row, seen.generations);
}

/**
 * Compares the row of an attempt with the log. What never started may have no row, or leave it to another call. A row may be behind
 * the log by what is not folded yet.
 */
export function wrongRow(attempt: LoggedAttempt, row: SeenRow | undefined, seen: SeenWith): string | undefined {
  if (attempt.epochs.length > 0) return wrongStarted(attempt, row, seen);
  if (row?.call_id !== attempt.call_id || row.end_offset === null) return undefined;
  return wrongState(attempt, row, seen.ends_from);
}

/**
 * A row of which the log has no record: a claim before its start, which its owner starts, ends or leaves to its successor.
 * `is_log_whole`: nothing was dropped from the log.
 */
export function wrongUnlogged(row: SeenRow, leases: SeenWith['leases'], is_log_whole: boolean): string | undefined {
  if (!is_log_whole) return undefined;
  if (row.end_offset !== null) return `its row says ${row.state} at offset ${row.end_offset}, the log has no record of it`;
  if (row.state === 'released') return undefined;
  const lease = leases.get(row.epoch);
  return lease && !lease.drained ? undefined : `its row says ${row.state}, but no executor runs it and the log has no record of it`;
}
