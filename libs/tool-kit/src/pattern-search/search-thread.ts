import { Worker } from 'node:worker_threads';
import type { SearchReply, SearchRequest, SearchThreadReady } from './search-request.js';
import { SearchStopped, type StopReason } from './search-stopped.js';
import { threadTimeMs } from './thread-time.js';

const WORKER = new URL('./search-worker.js', import.meta.url);
const HEAP_MIB_MAX = 256;
const START_MS_MAX = 30_000;
const CHECK_MS_MIN = 10;

/** A reply, and the CPU time that the thread used for it. */
export interface Answered {
  reply: SearchReply;
  took_ms: number;
}

interface Pending {
  request: SearchRequest;
  time_ms: number;
  settle(reply: SearchReply | SearchStopped): void;
}

/** One thread that searches, one request at a time. An idle thread does not keep the process alive. */
export class SearchThread {
  private readonly worker: Worker;
  private ready = false;
  private stopped: StopReason | undefined;
  private pending: Pending | undefined;
  private timer: NodeJS.Timeout | undefined;
  private thread_id: string | undefined;
  /** CPU time of the thread when it received its request. */
  private sent_ms = 0;

  constructor() {
    this.worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX } });
    this.worker.on('message', (message: SearchReply | SearchThreadReady) => this.received(message));
    this.worker.on('messageerror', () => void this.stop('failed'));
    this.worker.on('error', () => void this.stop('failed'));
    this.worker.on('exit', () => this.settle(new SearchStopped(this.stopped ?? 'failed')));
  }

  /** False once a request was stopped: the thread has then ended. */
  get usable(): boolean {
    return this.stopped === undefined;
  }

  /** `time_ms`: limit of the thread's CPU time, once it has started. @throws SearchStopped */
  async answer(request: SearchRequest, time_ms: number): Promise<Answered> {
    if (this.stopped) throw new SearchStopped(this.stopped);
    this.worker.ref();
    const reply = await new Promise<SearchReply | SearchStopped>((settle) => {
      this.pending = { request, time_ms, settle };
      if (this.ready) this.send();
      else this.after(START_MS_MAX, () => void this.stop('failed'));
    });
    if (reply instanceof SearchStopped) throw reply;
    return { reply, took_ms: this.usedMs() };
  }

  /** Ends the thread, whatever it is doing. */
  async stop(why: StopReason): Promise<void> {
    this.stopped ??= why;
    await this.worker.terminate();
  }

  private received(message: SearchReply | SearchThreadReady): void {
    if (message.kind === 'ready') this.started(message);
    else this.settle(message);
  }

  private started({ thread_id }: SearchThreadReady): void {
    this.thread_id = thread_id;
    this.ready = true;
    if (this.pending) this.send();
  }

  private usedMs(): number {
    return threadTimeMs(this.thread_id) - this.sent_ms;
  }

  private send(): void {
    const { request, time_ms } = this.pending as Pending;
    this.sent_ms = threadTimeMs(this.thread_id);
    this.after(time_ms, () => this.stopIfUsed(time_ms));
    this.worker.postMessage(request, request.kind === 'lines' ? [request.bytes.buffer as ArrayBuffer] : []);
  }

  /** Other work on the machine may have kept the thread from running: then it has time left. */
  private stopIfUsed(time_ms: number): void {
    const left_ms = time_ms - this.usedMs();
    if (left_ms <= 0) void this.stop('too_slow');
    else this.after(Math.max(CHECK_MS_MIN, left_ms), () => this.stopIfUsed(time_ms));
  }

  private after(ms: number, due: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(due, Math.max(1, ms));
  }

  private settle(reply: SearchReply | SearchStopped): void {
    clearTimeout(this.timer);
    if (reply instanceof SearchStopped) this.stopped ??= reply.why;
    this.pending?.settle(reply);
    this.pending = undefined;
    this.worker.unref();
  }
}
