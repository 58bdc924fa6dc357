import { setTimeout as sleep } from 'node:timers/promises';
import { type Caller, type Calls, newestRecords, Refusal } from '@countersign/calls';
import { InfrastructureFault, laneTopic, parseCallId } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { type LogPosition, noteProducerCancel, type ProducerScope, type Store } from '@countersign/store';
import type { ProducedCancellation } from './produced-commands.js';

/** A cancel that comes before its request is kept for this time, by the append times of the two. */
export const CANCEL_KEPT_MS = 300_000;
const PENDING_MAX_MS = 15_000;
const LOOK_EVERY_MS = 100;
/** How long to wait for the views; then the cancel is tried again. */
const VIEW_WAIT_MS = 5_000;

/** Cancels of producers: of calls, of requests on any partition, and of requests that are yet to come. */
export class ProducerCancellations {
  constructor(
    private readonly store: Pick<Store, 'query'>,
    private readonly calls: Pick<Calls, 'cancel'>,
    private readonly requests: { log: Pick<EventLog, 'head' | 'first'>; lanes: readonly string[] },
  ) {}

  /**
   * Cancels the call, or keeps the cancel for its request. @returns why it is not cancelled
   * @throws InfrastructureFault if the store is unavailable, the views are behind, or the request is being admitted for too long: cancel again
   */
  async cancel(cancellation: ProducedCancellation, caller: Caller, producer_id: string): Promise<Refusal | undefined> {
    const { target, reason } = cancellation;
    if ('call_id' in target) return this.cancelCall(caller, target.call_id, reason);
    const { name_digest } = target;
    const scope = { tenant_id: caller.tenant_id, producer_id };
    const call_id = await this.callOf(scope, { name_digest, at_ms: cancellation.record.timestamp_ms });
    return call_id === undefined ? undefined : this.cancelRecorded(caller, call_id, reason);
  }

  /** Undefined: no such request was read, and the cancel is kept. */
  private async callOf(scope: ProducerScope, cancel: { name_digest: string; at_ms: number }): Promise<string | undefined> {
    for (const until = performance.now() + PENDING_MAX_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      const known = await noteProducerCancel(this.store, scope, cancel);
      if (known.kind === 'call') return known.call_id;
      if (known.kind === 'kept') return undefined;
    }
    throw new InfrastructureFault('the request that a record cancels is still being admitted');
  }

  /**
   * The call is recorded, perhaps by another gateway a moment ago: it is unknown only if the views that have all requests lack it. That is
   * final: the log may have lost the request, and a cancel that is never done stops its partition.
   */
  private async cancelRecorded(caller: Caller, call_id: string, reason: string | undefined): Promise<Refusal | undefined> {
    const refusal = await this.cancelCall(caller, call_id, reason);
    return refusal?.kind === 'not-found' ? this.cancelCall(caller, call_id, reason, await this.requestsNow(call_id)) : refusal;
  }

  private requestsNow(call_id: string): Promise<LogPosition[]> {
    const { log, lanes } = this.requests;
    const topics = lanes.map((lane) => laneTopic('tool-call-requested', lane));
    return newestRecords(log, topics, parseCallId(call_id)?.partition ?? 0);
  }

  private async cancelCall(
    caller: Caller,
    call_id: string,
    reason: string | undefined,
    positions: readonly LogPosition[] = [],
  ): Promise<Refusal | undefined> {
    const made = await this.calls.cancel({ caller, call_id, seen: { positions, wait_ms: VIEW_WAIT_MS } }, reason);
    if (!(made instanceof Refusal)) return undefined;
    if (made.kind === 'unavailable') throw new InfrastructureFault(made.detail);
    return made;
  }
}
