import { Worker } from 'node:worker_threads';
import type { SearchReply, SearchRequest } from './search-request.js';
import { SearchStopped, type StopReason } from './search-stopped.js';

const WORKER = new URL('./search-worker.js', import.meta.url);
const HEAP_MIB_MAX = 256;
const START_MS_MAX = 30_000;

/** A reply, and what the thread took for it. */
export interface Answered {
  reply: SearchReply;
  took_ms: number;
}

interface Pending {
  request: SearchRequest;
  time_ms: number;
  settle(reply: SearchReply | SearchStopped): void;
}

/** One thread that searches, one request at a time. It does not keep the process alive while it has nothing to do. */
export class SearchThread {
  private readonly worker: Worker;
  private ready = false;
  private stopped: StopReason | undefined;
  private pending: Pending | undefined;
  private timer: NodeJS.Timeout | undefined;
  private sent_ms = 0;

  constructor() {
    this.worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX } });
    this.worker.on('message', (message: SearchReply | 'ready') => this.hear(message));
    this.worker.on('messageerror', () => void this.stop('failed'));
    this.worker.on('error', () => void this.stop('failed'));
    this.worker.on('exit', () => this.settle(new SearchStopped(this.stopped ?? 'failed')));
  }

  /** False once a request was stopped: the thread has ended then. */
  get usable(): boolean {
    return this.stopped === undefined;
  }

  /** The time counts from when the thread has started. @throws SearchStopped */
  async answer(request: SearchRequest, time_ms: number): Promise<Answered> {
    if (this.stopped) throw new SearchStopped(this.stopped);
    this.worker.ref();
    const reply = await new Promise<SearchReply | SearchStopped>((settle) => {
      this.pending = { request, time_ms, settle };
      if (this.ready) this.send();
      else this.stopAfter(START_MS_MAX, 'failed');
    });
    if (reply instanceof SearchStopped) throw reply;
    return { reply, took_ms: performance.now() - this.sent_ms };
  }

  /** Ends the thread, whatever it does. */
  async stop(why: StopReason): Promise<void> {
    this.stopped ??= why;
    await this.worker.terminate();
  }

  private hear(message: SearchReply | 'ready'): void {
    if (message === 'ready') {
      this.ready = true;
      if (this.pending) this.send();
    } else this.settle(message);
  }

  private send(): void {
    const { request, time_ms } = this.pending as Pending;
    this.sent_ms = performance.now();
    this.stopAfter(time_ms, 'too_slow');
    this.worker.postMessage(request, request.kind === 'lines' ? [request.bytes.buffer as ArrayBuffer] : []);
  }

  private stopAfter(time_ms: number, why: StopReason): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.stop(why), Math.max(1, time_ms));
  }

  private settle(reply: SearchReply | SearchStopped): void {
    clearTimeout(this.timer);
    if (reply instanceof SearchStopped) this.stopped ??= reply.why;
    this.pending?.settle(reply);
    this.pending = undefined;
    this.worker.unref();
  }
}
