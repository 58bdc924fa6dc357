import { isDeepStrictEqual } from 'node:util';
import { callStateTopics } from '@countersign/contracts';
import { type CallState, compensationIn, evolve, evolveCompensated, type PlacedEvent, terminalStatuses } from '@countersign/domain';
import { type CallWrite, type CheckedCalls, callTables, readCheckedCalls, type Store } from '@countersign/store';
import type { CallRecords } from './call-records.js';
import { type LanePartition, topicsAt } from './lane-partitions.js';
import { stateIn, wrongCall } from './wrong-call.js';
import type { WrongRow } from './wrong-row.js';

/** Tolerance for clock differences between gateway and log, and for the delay of later records. */
const MARGIN_MS = 10_000;

/** A call and the approximate time of its request. */
export interface RequestedCall {
  call_id: string;
  at_ms: number;
}

/** Result of a comparison. */
export interface Compared {
  compared: number;
  wrong: readonly WrongRow[];
}

const isEnded = ({ status }: CallWrite): boolean => (terminalStatuses as ReadonlySet<string>).has(status);

/** Log time up to which a call must be read to reach the state of its row; Infinity: unknown. */
function untilOf(row: CallWrite | undefined, { at_ms }: RequestedCall): number {
  const state = row && stateIn(row);
  if (!state) return at_ms + MARGIN_MS;
  if (!isEnded(row)) return Number.POSITIVE_INFINITY;
  return (
    Math.max(
      at_ms,
      state.compensation?.at_ms ?? 0,
      state.end?.at_ms ?? 0,
      state.approval_end?.at_ms ?? 0,
      state.ruling?.decided_at_ms ?? 0,
    ) + MARGIN_MS
  );
}

/** The calls that undid the effects of these: the rows include their ends. */
function undosIn(rows: CheckedCalls['rows']): string[] {
  return [...rows.values()].flatMap((row) => stateIn(row)?.compensation?.call_id ?? []);
}

function foldInto(states: Map<string, CallState>, at: PlacedEvent): void {
  const call_id = at.event.meta.call_id as string;
  states.set(call_id, evolve(states.get(call_id), at));
  const undone = compensationIn(at)?.effect.call_id;
  const before = undone === undefined ? undefined : states.get(undone);
  if (before) states.set(before.call_id, evolveCompensated(before, at));
}

/** Compares the rows of calls, which the gateway serves, with the state from the log. */
export class CallCheck {
  constructor(
    private readonly store: Store,
    private readonly records: CallRecords,
  ) {}

  /**
   * Folds these calls from the part of the log around them, then folds those that differ from the whole log: only a difference from the
   * whole log counts. `until_max_ms` bounds the part that is read first.
   */
  async compare(requested: readonly RequestedCall[], place: LanePartition, until_max_ms = Number.POSITIVE_INFINITY): Promise<Compared> {
    const different = await this.compareNear(requested, place, until_max_ms);
    if (different === undefined) return { compared: 0, wrong: [] };
    return { compared: requested.length, wrong: different.length === 0 ? [] : await this.compareWhole(different, place) };
  }

  /** The calls that differ from the part of the log around them; undefined if the rows have another version and cannot be compared. */
  async compareNear(requested: readonly RequestedCall[], place: LanePartition, until_max_ms: number): Promise<string[] | undefined> {
    const ids = new Set(requested.map(({ call_id }) => call_id));
    const read = await this.read(place, [...ids]);
    if (read.version !== callTables.version) return undefined;
    const from_ms = Math.min(...requested.map(({ at_ms }) => at_ms)) - MARGIN_MS;
    const until_ms = Math.min(until_max_ms, Math.max(...requested.map((each) => untilOf(read.rows.get(each.call_id), each))));
    const states = await this.fold(ids, place, read, { from_ms, until_ms });
    return [...ids].filter((id) => wrongCall(read.rows.get(id), states.get(id)) !== undefined);
  }

  /**
   * Folds calls from the whole log of their partition. Calls with deleted records cannot be compared, and rows that were folded anew
   * meanwhile are left to a later comparison.
   */
  async compareWhole(call_ids: readonly string[], place: LanePartition): Promise<WrongRow[]> {
    const ids = new Set(call_ids);
    const read = await this.read(place, call_ids);
    if (read.version !== callTables.version) return [];
    const states = await this.fold(ids, place, read, { from_ms: Number.NEGATIVE_INFINITY, until_ms: Number.POSITIVE_INFINITY });
    const isWhole = await this.isWhole(place);
    const wrong = call_ids.flatMap((call_id): WrongRow[] => {
      const [row, state] = [read.rows.get(call_id), states.get(call_id)];
      if (!isWhole && !state?.requested) return [];
      const reason = wrongCall(row, state);
      const tenant_id = state?.tenant_id ?? row?.tenant_id;
      if (reason === undefined || tenant_id === undefined) return [];
      return [{ table: 'calls', partition: place.partition, tenant_id, call_id, reason: `call ${call_id}: ${reason}` }];
    });
    return wrong.length === 0 ? [] : this.unchanged(wrong, read, place);
  }

  private async unchanged(wrong: readonly WrongRow[], before: CheckedCalls, place: LanePartition): Promise<WrongRow[]> {
    const ids = wrong.map(({ call_id }) => call_id);
    const { rows } = await this.read(place, ids);
    return wrong.filter(({ call_id }) => isDeepStrictEqual(rows.get(call_id), before.rows.get(call_id)));
  }

  private read({ partition }: LanePartition, call_ids: readonly string[]): Promise<CheckedCalls> {
    return this.records.pace.run(() => readCheckedCalls(this.store, partition, call_ids));
  }

  private async fold(
    ids: ReadonlySet<string>,
    place: LanePartition,
    { folded, rows }: CheckedCalls,
    { from_ms, until_ms }: { from_ms: number; until_ms: number },
  ): Promise<Map<string, CallState>> {
    const states = new Map<string, CallState>();
    const wanted = new Set([...ids, ...undosIn(rows)]);
    for (const topic of callStateTopics.flatMap((name) => topicsAt(name, place))) {
      const { log } = this.records;
      const below = folded.get(topic) ?? 0;
      if (below === 0) continue;
      const { partition } = place;
      const from = await this.records.pace.run(() => (from_ms > 0 ? log.since(topic, partition, from_ms) : log.first(topic, partition)));
      for await (const events of this.records.read({ topic, partition, from, below, until_ms }, wanted))
        for (const at of events) foldInto(states, at);
    }
    return states;
  }

  private async isWhole(place: LanePartition): Promise<boolean> {
    for (const topic of callStateTopics.flatMap((name) => topicsAt(name, place)))
      if ((await this.records.log.first(topic, place.partition)) > 0) return false;
    return true;
  }
}
