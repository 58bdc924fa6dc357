import { type EventMap, parseCallId } from '@countersign/contracts';
import type { CallState, PlacedEvent } from '@countersign/domain';
import { isCallOfAnother } from '@countersign/store';
import type { CallCommands, Command } from '../recording/call-commands.js';
import { Refusal } from '../refusal.js';
import type { CallTracker } from '../tracking/call-tracker.js';
import { NOTHING_SEEN, type Seen } from '../views/seen.js';
import { type Views, viewsBehind } from '../views/views.js';
import { type CallCheck, CallWatch } from '../waiting/call-watch.js';
import type { CallListener } from '../waiting/watched-calls.js';

/** Returns the same refusal whether or not another tenant has such a call. */
const noSuchCall = (access?: 'cross_tenant'): Refusal =>
  new Refusal('not-found', 'no call has this id', { reason: 'call_not_found' }, { access });

/** Finds recorded calls by id within the caller's tenant, and records commands for them. */
export class RecordedCalls {
  constructor(
    readonly tracker: CallTracker,
    readonly views: Views,
    readonly commands: CallCommands,
  ) {}

  /**
   * The call from the views, at least as new as the answers of this process and as `seen`. A call of another tenant is refused like an
   * unknown call.
   */
  async find(tenantId: string, callId: string, seen: Seen = NOTHING_SEEN): Promise<CallState | Refusal> {
    const id = parseCallId(callId);
    if (!id) return noSuchCall();
    const current = await this.views.current(seen, id.partition);
    const state = await this.views.call(tenantId, callId);
    if (state) return state;
    if (!current) return viewsBehind();
    return noSuchCall((await isCallOfAnother(this.views.store, tenantId, callId)) ? 'cross_tenant' : undefined);
  }

  /** As `find`, also for a call that this process accepted a moment ago and that no view has yet. */
  async findAccepted(tenantId: string, callId: string): Promise<CallState | Refusal> {
    return this.tracker.watchedCalls.stateOf(callId, tenantId) ?? this.find(tenantId, callId);
  }

  /** Notifies the listener of the facts and the progress of a call from now on. @returns a function that ends this. */
  observe(tenantId: string, callId: string, listener: CallListener): () => void {
    const { watchedCalls } = this.tracker;
    watchedCalls.watch(callId, tenantId, listener);
    return () => watchedCalls.unwatch(callId, listener);
  }

  /** Records a command and waits for its effect on the call; undefined if that takes longer. */
  async command<C extends Command, T>(
    command: C,
    state: CallState,
    fields: Omit<EventMap[C], 'meta'>,
    outcome: { check: CallCheck<T>; timeout_ms: number },
  ): Promise<T | undefined> {
    const watch = new CallWatch(this.tracker, state, outcome.check);
    try {
      await this.record(command, state, fields);
      return await watch.within(outcome.timeout_ms);
    } finally {
      watch.close();
    }
  }

  /** Records a command. Every later read through this process sees it. */
  async record<C extends Command>(command: C, state: CallState, fields: Omit<EventMap[C], 'meta'>): Promise<void> {
    this.tracker.noted(await this.commands.record(command, state, fields));
  }

  /** Notes that this record is part of an answer. */
  noted(at: PlacedEvent | undefined): void {
    if (at) this.tracker.noted(at);
  }
}
