import type { CallState } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { OwedCallback } from '@countersign/store';
import { envelopeText, refusedAt } from '../envelope/envelope.js';
import type { Readable } from '../personal/readable.js';
import { settledAs } from '../waiting/is-answer.js';
import type { CallListener, WatchedCalls } from '../waiting/watched-calls.js';
import { ANSWER_MAX_MS, type Callback, type CallbackDelivery, type Taken } from './callback-delivery.js';
import type { OwedCallbacks } from './owed-callbacks.js';

/** Waits before the second and later attempts, ms. */
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000, 600_000];
/** The longest time, ms, from the first attempt to the end of the last one: all pauses and all timeouts. */
export const TRIED_FOR_MS = BACK_OFF_MS.reduce((sum, pause) => sum + pause + ANSWER_MAX_MS, ANSWER_MAX_MS);
const SENDING_MAX = 32;
const WAITING_MAX = 10_000;

/** The log's time of the newest fact that ended the call, epoch ms. */
function endedAt(state: CallState): number {
  return (state.end ?? state.doubt)?.at_ms ?? refusedAt(state) ?? 0;
}

interface Job {
  call_id: string;
  callback: Callback;
  attempt: number;
}

class Watcher implements CallListener {
  constructor(
    private readonly callbacks: Callbacks,
    private readonly watchedCalls: WatchedCalls,
  ) {}
  changed(state: CallState): void {
    if (settledAs(state) !== 'ended') return;
    this.watchedCalls.unwatch(state.call_id, this);
    this.callbacks.ended(state);
  }
}

/**
 * Notifies the `callback_url` of each call that ended (or is in doubt): at least once, at most 32 at a time, with growing pauses over
 * 13 minutes; then the callback is dropped and logged. A callback that a stop interrupts stays stored in `owed` and starts over at
 * the next start with the same webhook-id. A receiver that missed a callback can GET the call.
 */
export class Callbacks {
  private readonly waiting: Job[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private sending = 0;
  private closed = false;
  private since_ms = 0;

  constructor(
    private readonly delivery: CallbackDelivery,
    private readonly watchedCalls: WatchedCalls,
    private readonly parts: { logger: Logger; readable: Pick<Readable, 'text'>; owed: Pick<OwedCallbacks, 'owe' | 'settle'> },
  ) {}

  /** Resolves once the pending callback is stored. Rejects if the store is unavailable. */
  owe(call: OwedCallback): Promise<void> {
    return this.parts.owed.owe(call);
  }

  /** The call was not accepted: no callback is owed. */
  settle(callId: string): void {
    this.parts.owed.settle(callId);
  }

  /** Sends the callback of a watched call when it ends. */
  watch(callId: string, tenantId: string): void {
    this.watchedCalls.watch(callId, tenantId, new Watcher(this, this.watchedCalls));
  }

  /** Callbacks of calls that ended before this time (epoch ms) are not sent: whether they were sent already is unknown. */
  tellSince(since_ms: number): void {
    this.since_ms = since_ms;
  }

  ended(state: CallState): void {
    const url = state.call?.callback_url;
    if (!url || this.closed) return;
    const ended_at_ms = endedAt(state);
    if (ended_at_ms < this.since_ms) {
      this.parts.owed.settle(state.call_id);
      return;
    }
    const fact = state.end ?? state.doubt ?? state.approval_end ?? state.ruling;
    const timestamp = new Date(ended_at_ms).toISOString();
    const webhook_id = fact?.event_id ?? state.call_id;
    const body = `{"type":"call.ended","timestamp":"${timestamp}","data":${envelopeText(state)}}`;
    this.enqueue({ call_id: state.call_id, callback: { url, tenant_id: state.tenant_id, webhook_id, body }, attempt: 0 });
  }

  close(): void {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.waiting.length = 0;
  }

  private enqueue(job: Job): void {
    if (this.closed) return;
    if (this.waiting.length >= WAITING_MAX)
      this.parts.logger.warn(
        { event: 'callback_queue_full', url: job.callback.url },
        'the callback queue is full; the callback is sent after the next start',
      );
    else this.waiting.push(job);
    this.next();
  }

  private next(): void {
    while (this.sending < SENDING_MAX) {
      const job = this.waiting.shift();
      if (!job) return;
      this.sending++;
      void this.send(job.callback).then((result) => {
        this.sending--;
        if (result === 'refused')
          this.parts.logger.warn({ event: 'callback_refused', url: job.callback.url }, 'the receiver refused the callback');
        if (result === 'try_again') this.again(job);
        else this.parts.owed.settle(job.call_id);
        this.next();
      });
    }
  }

  /** Personal data in the body is decrypted for each attempt. */
  private async send(callback: Callback): Promise<Taken> {
    try {
      return await this.delivery.send({ ...callback, body: await this.parts.readable.text(callback.tenant_id, callback.body) });
    } catch (cause) {
      this.parts.logger.warn(
        { event: 'callback_not_decrypted', url: callback.url, cause: String(cause) },
        'cannot decrypt the callback; will retry',
      );
      return 'try_again';
    }
  }

  private again(job: Job): void {
    const pause = BACK_OFF_MS[job.attempt];
    if (this.closed) return;
    if (pause === undefined) {
      this.parts.logger.warn(
        { event: 'callback_given_up', url: job.callback.url },
        'the receiver does not answer; the callback is dropped',
      );
      this.parts.owed.settle(job.call_id);
      return;
    }
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.enqueue({ ...job, attempt: job.attempt + 1 });
    }, pause);
    timer.unref();
    this.timers.add(timer);
  }
}
