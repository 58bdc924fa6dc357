import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoint, type EventCodec, NO_RECORD_OFFSET } from '@countersign/contracts';
import { type CallState, evolve, type PlacedEvent, unpackCall } from '@countersign/domain';
import { type LogPosition, readCall, type Store } from '@countersign/store';
import { Refusal } from '../refusal.js';
import type { AdmittedCall } from '../request/admitted-call.js';
import type { CallListener, WatchedCalls } from '../waiting/watched-calls.js';
import { RecentRequests } from './recent-requests.js';
import type { RecordWriter, WriteSink } from './record-writer.js';

/** Waits for the end of a call that is being recorded. */
export interface CallWaiter extends CallListener {
  /** The request is durable at this position. */
  recorded(at: LogPosition): void;
  /** The request was not recorded, or its state is unknown. Sending it again is safe. */
  refused(problem: Refusal): void;
}

/** The refusal while the log is unavailable. */
const logUnavailable = (): Refusal =>
  new Refusal('unavailable', 'the request may not be recorded; send it again: an equal request runs only once', {
    reason: 'record_unconfirmed',
  });

class PendingSubmission implements WriteSink {
  constructor(
    private readonly watchedCalls: WatchedCalls,
    private readonly recent: RecentRequests,
    private readonly admitted: AdmittedCall,
    private readonly waiter: CallWaiter,
  ) {}
  written(offset: number): void {
    crashPoint('gateway.after_request');
    this.waiter.recorded({ topic: this.admitted.topic, partition: this.admitted.meta.partition, offset });
  }
  failed(): void {
    this.recent.remove(this.admitted.meta.call_id);
    this.watchedCalls.withdraw(this.admitted.meta.call_id);
    this.waiter.refused(logUnavailable());
  }
}

/**
 * How long to wait for the view to show a call that this gateway recorded. After that the call is recorded again; a call that has ended
 * keeps its end.
 */
const VIEW_LAG_MAX_MS = 1_000;
const LOOK_EVERY_MS = 20;

/** Records admitted calls once, and registers the waiters of each call. */
export class CallRecorder {
  private readonly recent = new RecentRequests();
  /** Reads of the view in progress, by call: concurrent requests for the same call share one. */
  private readonly readings = new Map<string, Promise<CallState | undefined>>();

  constructor(
    private readonly watchedCalls: WatchedCalls,
    private readonly writer: RecordWriter,
    private readonly codec: EventCodec,
    private readonly store: Store,
  ) {}

  /** @returns a refusal if the call is not accepted; otherwise the waiter is notified. */
  submit(admitted: AdmittedCall, waiter: CallWaiter, traceparent: string | undefined): Refusal | undefined {
    const full = this.fullFor(admitted);
    if (full) return full;
    if (admitted.numbered) this.findOrPlace(admitted, waiter, traceparent);
    else this.place(admitted, waiter, traceparent, admitted.meta.call_id);
    return undefined;
  }

  /** Why the tenant may not have another call in flight now; undefined if it may. */
  fullFor({ tenant: { tenant_id, in_flight_max } }: Pick<AdmittedCall, 'tenant'>): Refusal | undefined {
    const { watchedCalls } = this;
    if (watchedCalls.inFlight(tenant_id) + watchedCalls.othersInFlight(tenant_id) < in_flight_max) return undefined;
    return new Refusal('too-many-in-flight', `the tenant has ${in_flight_max} calls in flight, which is its cap`);
  }

  /** Reads the call from the view for a waiter without news, in case a wake-up was lost. @returns whether the view has the call. */
  async refresh(tenantId: string, callId: string): Promise<boolean> {
    const state = await this.read(tenantId, callId);
    if (state) this.watchedCalls.learn(state);
    return state !== undefined;
  }

  private read(tenantId: string, callId: string): Promise<CallState | undefined> {
    const name = `${tenantId}\n${callId}`;
    const under_way = this.readings.get(name);
    if (under_way) return under_way;
    const reading = readCall(this.store, tenantId, callId)
      .then((row) => row && unpackCall(row.state))
      .finally(() => this.readings.delete(name));
    this.readings.set(name, reading);
    return reading;
  }

  private findOrPlace(admitted: AdmittedCall, waiter: CallWaiter, traceparent: string | undefined): void {
    const { call_id, tenant_id } = admitted.meta;
    if (this.watchedCalls.has(call_id)) this.watchedCalls.watch(call_id, tenant_id, waiter);
    else this.watchedCalls.admit(call_id, tenant_id, undefined, waiter);
    this.find(tenant_id, call_id).then(
      (state) => {
        if (!state && admitted.refusal_if_new) return this.refuse(admitted, waiter, admitted.refusal_if_new);
        // An earlier request for it may have failed and removed all listeners.
        if (!this.watchedCalls.has(call_id)) this.watchedCalls.admit(call_id, tenant_id, undefined, waiter);
        if (state) this.watchedCalls.learn(state);
        else this.placeNumbered(admitted, waiter, traceparent);
      },
      () => this.refuse(admitted, waiter, logUnavailable()),
    );
  }

  /** Refuses the request of a waiter that recorded nothing. Removes the call unless another waiter has recorded it. */
  private refuse({ meta: { call_id } }: AdmittedCall, waiter: CallWaiter, problem: Refusal): void {
    this.watchedCalls.unwatch(call_id, waiter);
    if (!this.watchedCalls.hasRequest(call_id)) this.watchedCalls.withdraw(call_id);
    waiter.refused(problem);
  }

  /** Reads the call from the view. Waits for the view if this gateway recorded the call recently. */
  private async find(tenant_id: string, call_id: string): Promise<CallState | undefined> {
    for (let looks = VIEW_LAG_MAX_MS / LOOK_EVERY_MS; ; looks--) {
      const state = await this.read(tenant_id, call_id);
      if (state) return state;
      if (looks <= 0 || !this.recent.has(call_id)) return undefined;
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  private placeNumbered(admitted: AdmittedCall, waiter: CallWaiter, traceparent: string | undefined): void {
    this.recent.add(admitted.meta.call_id);
    this.place(admitted, undefined, traceparent, admitted.meta.call_id, waiter);
  }

  private place(
    admitted: AdmittedCall,
    listener: CallWaiter | undefined,
    traceparent: string | undefined,
    callId: string,
    waiter: CallWaiter | undefined = listener,
  ): void {
    const { topic, meta, call } = admitted;
    const event = { meta, call };
    const state = evolve(undefined, {
      event_type: 'tool_call_requested',
      event,
      topic,
      partition: meta.partition,
      offset: NO_RECORD_OFFSET,
      timestamp_ms: call.requested_at_ms,
    } as PlacedEvent);
    if (listener) this.watchedCalls.admit(callId, meta.tenant_id, state, listener);
    else this.watchedCalls.learnOwnRequest(state);
    const headers: Record<string, string> = { event_type: 'tool_call_requested' };
    if (traceparent !== undefined) headers.traceparent = traceparent;
    crashPoint('gateway.before_request');
    this.writer.add(
      { topic, partition: meta.partition, key: call.idempotency_key, value: this.codec.encode('tool_call_requested', event), headers },
      new PendingSubmission(this.watchedCalls, this.recent, admitted, waiter as CallWaiter),
    );
  }
}
