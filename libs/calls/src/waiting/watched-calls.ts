import { type CallState, evolve, type PlacedEvent, statusOf } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import { isAnswer } from './is-answer.js';
import { mergeStates, sameFacts } from './merge-states.js';

/** Notified after every durable fact of a watched call, and after a read of the view with new facts. */
export interface CallListener {
  changed(state: CallState, at: PlacedEvent | undefined): void;
  /** Progress of the run; a hint. */
  progressed?(progress: Progress): void;
}

interface Watched {
  tenant_id: string;
  /** The call counts towards the in-flight cap of its tenant. */
  counted: boolean;
  /** Undefined without listeners, so that long waits keep no payload in memory. */
  state: CallState | undefined;
  listeners: CallListener[];
  /** Listeners that joined since the last notification; undefined: none. */
  unnotified: Set<CallListener> | undefined;
  /** Monotonic time of the last read of the view for this call. */
  read_ms: number;
}

const watchedCall = (tenant_id: string, counted: boolean, state: CallState | undefined, listener: CallListener | undefined): Watched => ({
  tenant_id,
  counted,
  state,
  listeners: listener ? [listener] : [],
  unnotified: undefined,
  read_ms: Number.NEGATIVE_INFINITY,
});

/**
 * The calls that this gateway watches: those it admitted until they end (they count for the in-flight cap) and those
 * that have followers. Folds their durable events; ignores other calls.
 */
export class WatchedCalls {
  private readonly calls = new Map<string, Watched>();
  private readonly counts = new Map<string, number>();

  /** Calls that other gateways have in flight. */
  othersInFlight: (tenantId: string) => number = () => 0;

  /** What this gateway has in flight, by tenant. */
  get inFlightCounts(): ReadonlyMap<string, number> {
    return this.counts;
  }

  get size(): number {
    return this.calls.size;
  }

  has(callId: string): boolean {
    return this.calls.has(callId);
  }

  /** True if the request is known, from the log or from this gateway. */
  hasRequest(callId: string): boolean {
    return this.calls.get(callId)?.state?.requested != null;
  }

  /** What is known of a call that has listeners; undefined: nothing, or it is not watched. */
  stateOf(callId: string, tenantId: string): CallState | undefined {
    const watched = this.calls.get(callId);
    return watched?.tenant_id === tenantId ? watched.state : undefined;
  }

  inFlight(tenantId: string): number {
    return this.counts.get(tenantId) ?? 0;
  }

  /** Adds a call that counts towards the cap; `state` is the gateway's own request. */
  admit(callId: string, tenantId: string, state: CallState | undefined, listener: CallListener | undefined): void {
    const known = this.calls.get(callId);
    if (!known) {
      this.calls.set(callId, watchedCall(tenantId, true, state, listener));
      this.counts.set(tenantId, this.inFlight(tenantId) + 1);
      return;
    }
    if (listener) join(known, listener);
  }

  /** The request was not recorded: forget the call and its listeners. */
  withdraw(callId: string): void {
    const watched = this.calls.get(callId);
    if (!watched) return;
    this.discount(watched);
    this.calls.delete(callId);
  }

  watch(callId: string, tenantId: string, listener: CallListener): CallState | undefined {
    const known = this.calls.get(callId);
    if (known) {
      join(known, listener);
      return known.state;
    }
    const watched = watchedCall(tenantId, false, undefined, undefined);
    join(watched, listener);
    this.calls.set(callId, watched);
    return undefined;
  }

  unwatch(callId: string, listener: CallListener): void {
    const watched = this.calls.get(callId);
    if (!watched) return;
    const at = watched.listeners.indexOf(listener);
    if (at >= 0) watched.listeners.splice(at, 1);
    watched.unnotified?.delete(listener);
    this.tidy(callId, watched);
  }

  /** Merges the gateway's own request, unless an earlier request of the call is known. */
  learnOwnRequest(state: CallState): void {
    const watched = this.calls.get(state.call_id);
    if (watched && watched.tenant_id === state.tenant_id && !watched.state?.requested) this.learn(state);
  }

  /**
   * Merges the state of a call from the view. If it has new facts, all listeners are notified, else only those that were not notified yet.
   * @returns the merged state; undefined if the call is not watched.
   */
  learn(state: CallState): CallState | undefined {
    const watched = this.calls.get(state.call_id);
    if (!watched || watched.tenant_id !== state.tenant_id) return undefined;
    const merged = mergeStates(watched.state, state);
    if (watched.state && sameFacts(watched.state, merged)) this.notifyRemaining(state.call_id, watched, watched.state);
    else this.move(state.call_id, watched, merged, undefined);
    return merged;
  }

  /**
   * True if the view must be read for this call now. False if it was read less than `fresh_ms` ago: earlier listeners got that read, and
   * those that joined since are notified now.
   */
  shouldRead(callId: string, now_ms: number, fresh_ms: number): boolean {
    const watched = this.calls.get(callId);
    if (!watched) return true;
    if (now_ms - watched.read_ms >= fresh_ms) {
      watched.read_ms = now_ms;
      return true;
    }
    if (watched.state) this.notifyRemaining(callId, watched, watched.state);
    return false;
  }

  /** Folds a durable event of a watched call; events of other calls are ignored. */
  apply(at: PlacedEvent): void {
    const callId = at.event.meta.call_id;
    const watched = callId === null ? undefined : this.calls.get(callId);
    if (callId === null || !watched || watched.tenant_id !== at.event.meta.tenant_id) return;
    this.move(callId, watched, evolve(watched.state, at), at);
  }

  /** Notifies the followers of the call; nothing is stored. */
  progressed(progress: Progress): void {
    const watched = this.calls.get(progress.call_id);
    if (watched?.tenant_id !== progress.tenant_id) return;
    for (const listener of [...watched.listeners]) listener.progressed?.(progress);
  }

  private move(callId: string, watched: Watched, state: CallState, at: PlacedEvent | undefined): void {
    watched.state = state;
    watched.unnotified = undefined;
    if (isAnswer(statusOf(state))) this.discount(watched);
    if (watched.listeners.length === 1) watched.listeners[0]?.changed(state, at);
    else for (const listener of [...watched.listeners]) listener.changed(state, at);
    this.tidy(callId, watched);
  }

  private notifyRemaining(callId: string, watched: Watched, state: CallState): void {
    const { unnotified } = watched;
    if (!unnotified) return;
    watched.unnotified = undefined;
    for (const listener of unnotified) listener.changed(state, undefined);
    this.tidy(callId, watched);
  }

  private discount(watched: Watched): void {
    if (!watched.counted) return;
    watched.counted = false;
    const left = this.inFlight(watched.tenant_id) - 1;
    if (left > 0) this.counts.set(watched.tenant_id, left);
    else this.counts.delete(watched.tenant_id);
  }

  private tidy(callId: string, watched: Watched): void {
    if (watched.listeners.length > 0) return;
    watched.state = undefined;
    if (!watched.counted) this.calls.delete(callId);
  }
}

function join(watched: Watched, listener: CallListener): void {
  watched.listeners.push(listener);
  watched.unnotified ??= new Set();
  watched.unnotified.add(listener);
}
