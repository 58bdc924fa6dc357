import { parseCallId } from '@countersign/contracts';
import {
  type CallState,
  compensationIn,
  evolve,
  evolveCompensated,
  newestFact,
  type PlacedEvent,
  statusOf,
  terminalStatuses,
  unpackCall,
} from '@countersign/domain';
import { loadCallStates, type Sql } from '@countersign/store';
import type { Change } from '../projections/projection.js';
import { callOf } from './storable-event.js';

/** The states for an event without a call. */
export const NO_CALL = { before: undefined, after: undefined, original: undefined };

/** Maximum of calls that answered duplicates: one call may answer many. */
const ORIGINALS_MAX = 200;
const NONE: ReadonlySet<string> = new Set();

/** True if the call is complete: a further event is rare enough to load its row again. */
function isComplete(state: CallState): boolean {
  return state.requested !== null && state.ruling !== null && terminalStatuses.has(statusOf(state));
}

/** The call that answered a duplicate; only in the same partition, where it was folded before. */
function originalOf(at: PlacedEvent): string | undefined {
  if (at.event_type !== 'tool_retry_deduplicated') return undefined;
  const { original_call_id } = at.event;
  return parseCallId(original_call_id)?.partition === at.partition ? original_call_id : undefined;
}

/** The call whose effect the event undid, or was to undo; it is in the same partition. */
function undoneBy(at: PlacedEvent): string | undefined {
  const call_id = compensationIn(at)?.effect.call_id;
  return call_id !== undefined && parseCallId(call_id)?.partition === at.partition ? call_id : undefined;
}

type Around = Pick<Change, 'before' | 'original' | 'undone'> & { after: CallState };

/**
 * Caches the states of the calls of one partition that are likely to change; loads others from their rows. A call whose request is seen
 * for the first time needs no load: its id is a UUIDv7, so it names one request, and its hlc is greater than that of all requests folded
 * before (it is no repeat) and of all rows that still wait for their request (nothing of the call was folded ahead of it).
 */
export class CallStates {
  private readonly states = new Map<string, CallState>();
  /** Calls that answered those of the newest batches, in their last state. */
  private readonly originals = new Map<string, CallState>();
  /** Calls of the newest batch: a write that ends while others of the batch are loading must not evict them. */
  private needed: ReadonlySet<string> = NONE;
  /** Calls that only `needed` keeps from eviction. */
  private kept = new Set<string>();

  /**
   * @param unrequestedHlc highest hlc of the stored rows without a request @param kept_max maximum of cached states that may change again:
   * about 5 KB each
   */
  constructor(
    private unrequestedHlc: number,
    private readonly kept_max = 10_000,
  ) {}

  get size(): number {
    return this.states.size;
  }

  /** Folds an event of a call; its state must be loaded or known not to exist (`load`). */
  fold(at: PlacedEvent, call_id: string): Around {
    const before = this.states.get(call_id);
    const after = evolve(before, at);
    if (after !== before) this.states.set(call_id, after);
    const original_id = originalOf(at);
    const original = original_id === undefined ? undefined : (this.states.get(original_id) ?? this.originals.get(original_id));
    const undone = this.foldUndone(at);
    return undone ? { before, after, original, undone } : { before, after, original };
  }

  /** Folds an undo into the call whose effect it undid. Does nothing if the records of that call were deleted. */
  private foldUndone(at: PlacedEvent): Around['undone'] {
    const call_id = undoneBy(at);
    const before = call_id === undefined ? undefined : this.states.get(call_id);
    if (!before) return undefined;
    const after = evolveCompensated(before, at);
    this.states.set(before.call_id, after);
    return { before, after };
  }

  /** Loads the states that these events need. `requestedHlc`: highest hlc of the requests folded so far. */
  async load(sql: Sql, events: Iterable<PlacedEvent>, requestedHlc: number): Promise<void> {
    const unknown = new Set<string>();
    const fresh = new Set<string>();
    const originals = new Set<string>();
    const needed = new Set<string>();
    this.needed = needed;
    for (const at of events) {
      const { hlc } = at.event.meta;
      const call_id = callOf(at);
      const original = originalOf(at);
      if (original !== undefined) originals.add(original);
      const undone = undoneBy(at);
      if (undone !== undefined) needed.add(undone);
      if (undone !== undefined && !this.states.has(undone)) unknown.add(undone);
      if (call_id !== null) needed.add(call_id);
      if (call_id === null || this.states.has(call_id) || fresh.has(call_id)) continue;
      const isFirst = at.event_type === 'tool_call_requested' && hlc > requestedHlc && hlc > this.unrequestedHlc;
      if (isFirst && parseCallId(call_id)?.uuid[14] === '7') fresh.add(call_id);
      else unknown.add(call_id);
    }
    for (const call_id of fresh) unknown.delete(call_id);
    await this.loadOriginals(sql, originals);
    if (unknown.size === 0) return;
    for (const [call_id, state] of await loadCallStates(sql, [...unknown])) this.states.set(call_id, unpackCall(state));
  }

  /** Moves the needed states to the end and evicts the oldest beyond the limit. */
  private async loadOriginals(sql: Sql, needed: ReadonlySet<string>): Promise<void> {
    const wanted: string[] = [];
    for (const call_id of needed) {
      const known = this.states.get(call_id) ?? this.originals.get(call_id);
      if (known) this.keepOriginal(call_id, known);
      else wanted.push(call_id);
    }
    if (wanted.length > 0) for (const [call_id, state] of await loadCallStates(sql, wanted)) this.keepOriginal(call_id, unpackCall(state));
    for (const call_id of this.originals.keys()) {
      if (this.originals.size <= Math.max(ORIGINALS_MAX, needed.size)) break;
      this.originals.delete(call_id);
    }
  }

  private keepOriginal(call_id: string, state: CallState): void {
    this.originals.delete(call_id);
    this.originals.set(call_id, state);
  }

  /**
   * Evicts complete calls, and the longest unchanged ones beyond the limit. @param call_ids calls whose rows were just stored @param
   * unwritten calls that have changed since
   */
  written(call_ids: Iterable<string>, unwritten: ReadonlySet<string> = NONE): void {
    let over = this.states.size - this.kept_max;
    const kept = this.kept;
    this.kept = new Set();
    for (const call_id of [...kept, ...call_ids]) {
      const state = this.states.get(call_id);
      if (!state || unwritten.has(call_id) || (over <= 0 && !isComplete(state))) continue;
      if (this.needed.has(call_id)) {
        this.kept.add(call_id);
        continue;
      }
      this.states.delete(call_id);
      if (this.originals.has(call_id)) this.originals.set(call_id, state);
      over--;
      if (state.requested === null) this.unrequestedHlc = Math.max(this.unrequestedHlc, newestFact(state).hlc);
    }
  }
}
