import type { ClaimedResources, ClaimedTouch } from '@countersign/contracts';
import type { LoggedAttempt, LoggedEnd } from './logged-attempt.js';
import type { ExecutionState } from './row.js';

/** A row of the arbiter, as read from the store. */
export interface SeenRow {
  call_id: string;
  epoch: number;
  state: ExecutionState;
  source_offset: number;
  end_offset: number | null;
  ended_at_s: number | null;
  resources: ClaimedResources | null;
}

/** Facts read together with the rows. */
export interface SeenWith {
  /** All ends on `tool-executed` below this offset are folded into rows. */
  ends_from: number;
  /**
   * By epoch, for epochs named by rows or starts: whether the lease was fenced, and whether all its rows of this partition were taken over.
   */
  leases: ReadonlyMap<number, { fenced: boolean; drained: boolean }>;
  /** The newest generation of effects on a name, and on names below it; absent: no effect acted on it. */
  generations: ReadonlyMap<string, { at_any: number; in_any: number }>;
}

const seconds = (ended_at_ms: number) => Math.floor(ended_at_ms / 1000);

const matches = (end: LoggedEnd, row: SeenRow): boolean =>
  end.offset === row.end_offset && end.state === row.state && (end.ended_at_ms === null || seconds(end.ended_at_ms) === row.ended_at_s);

/** Describes the end of the attempt on the log. */
function endsOnLog({ ends }: LoggedAttempt): string {
  const last = ends.at(-1);
  return last ? `the log ends it as ${last.state} at offset ${last.offset}` : 'the log has its start but no end';
}

/** True if the row names a repeated end, later than the first one on the log. Such a row must not free the key. */
function isRepeat({ ends, repeats }: LoggedAttempt, row: SeenRow): boolean {
  const isFree = row.state !== 'released' || (ends.length > 0 && ends.every(({ state }) => state === 'released'));
  return isFree && repeats.some((end) => matches(end, row));
}

/** True if the end that the row names left an effect that could be undone. */
const hadEffect = ({ ends }: LoggedAttempt, { end_offset }: SeenRow): boolean =>
  ends.some(({ offset, state }) => offset === end_offset && (state === 'succeeded' || state === 'failed_with_effect'));

/** The row may be behind the log, but its state must be one that the log had. */
function wrongState(attempt: LoggedAttempt, row: SeenRow, ends_from: number): string | undefined {
  if (isRepeat(attempt, row)) return undefined;
  // The undo may be outside of the part of the log that was read, so only the end with an effect can be checked.
  if (row.state === 'compensated') return hadEffect(attempt, row) ? undefined : `its row says compensated, ${endsOnLog(attempt)}`;
  if (attempt.compensated_at !== null && attempt.compensated_at < ends_from)
    return `its row says ${row.state}, the log says that it was undone at offset ${attempt.compensated_at}`;
  const at = attempt.ends.findIndex((end) => matches(end, row));
  const isOpen = row.end_offset === null && (row.state === 'running' || row.state === 'reading');
  if (at < 0 && !isOpen) return `its row says ${row.state}, ${endsOnLog(attempt)}`;
  const unfolded = attempt.ends.slice(at + 1).find(({ offset }) => offset < ends_from);
  return unfolded && `its row says ${row.state}, ${endsOnLog(attempt)}`;
}

/** Checks the epoch of the row: one that started the attempt, or one that took it over from a fenced epoch. */
function wrongOwner({ epochs, ends }: LoggedAttempt, row: SeenRow, leases: SeenWith['leases']): string | undefined {
  if (ends.length > 0 || epochs.includes(row.epoch)) return undefined;
  const isTakenOver = leases.has(row.epoch) && epochs.some((epoch) => leases.get(epoch)?.fenced !== false);
  return isTakenOver ? undefined : `its row says epoch ${row.epoch}, the log has its start under epoch ${epochs.at(-1)}`;
}

const sameTouch = (a: ClaimedTouch, b: ClaimedTouch | undefined): boolean =>
  a.resource === b?.resource && a.exact === b.exact && a.replaces === b.replaces && a.seen === b.seen;

/** A resolution may increase the generation. */
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

/** The fault in the row of a started attempt; undefined if the row agrees with the log. */
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
 * Compares the row of an attempt with the log. An attempt that never started may have no row, or a row of another call. A row may lag
 * behind the log by records that are not folded yet.
 */
export function wrongRow(attempt: LoggedAttempt, row: SeenRow | undefined, seen: SeenWith): string | undefined {
  if (attempt.epochs.length > 0) return wrongStarted(attempt, row, seen);
  if (row?.call_id !== attempt.call_id || row.end_offset === null) return undefined;
  return wrongState(attempt, row, seen.ends_from);
}

/**
 * Checks a row that has no record on the log: a claim before its start. Its owner starts it, ends it or leaves it to the next owner.
 * `is_log_whole`: no records were dropped from the log.
 */
export function wrongUnlogged(row: SeenRow, leases: SeenWith['leases'], is_log_whole: boolean): string | undefined {
  if (!is_log_whole) return undefined;
  if (row.end_offset !== null) return `its row says ${row.state} at offset ${row.end_offset}, the log has no record of it`;
  if (row.state === 'released') return undefined;
  const lease = leases.get(row.epoch);
  return lease && !lease.drained ? undefined : `its row says ${row.state}, but no executor runs it and the log has no record of it`;
}
