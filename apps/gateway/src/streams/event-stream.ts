import type { Caller } from '@countersign/calls';

/** Maximum of unread bytes of a reader. Beyond it the stream is closed at the next event. */
export const BUFFERED_BYTES_MAX = 262_144;
/** Maximum of events that wait for decryption. */
const OPENING_MAX = 64;

/** Why the gateway closed a stream early. The reader gets `event: closed` and resumes with `Last-Event-ID`. */
export type CloseReason = 'slow_consumer' | 'max_age' | 'credential_ended' | 'unavailable' | 'shutdown';

const DETAILS: Readonly<Record<CloseReason, string>> = {
  slow_consumer: 'the client reads too slowly; resume with Last-Event-ID',
  max_age: 'the stream reached its maximum duration; resume with Last-Event-ID',
  credential_ended: 'the credential of this stream is no longer valid',
  unavailable: 'the events cannot be read at the moment; resume with Last-Event-ID',
  shutdown: 'this gateway is shutting down; resume with Last-Event-ID',
};

/** The members of a response that a stream needs; `node:http` provides them. */
export interface StreamSocket {
  readonly writableLength: number;
  readonly socket: { readonly bytesWritten: number } | null;
  write(text: string): unknown;
  end(text?: string): unknown;
  destroy(): unknown;
  once(event: 'drain', listener: () => void): unknown;
}

/** The destination of events. */
export interface StreamOut {
  /** Text that is still being decrypted keeps its place in the order. */
  write(text: string | Promise<string>): void;
  end(): void;
}

/** The response of one reader. Limits unread data and reports to the reader why its stream ends. */
export class EventStream implements StreamOut {
  private ended = false;
  private left = false;
  private opening = 0;
  private last: Promise<void> = Promise.resolve();
  private taken_bytes: number | null = null;
  private readonly waiters: ((open: boolean) => void)[] = [];
  private leaving: (() => void) | undefined;

  constructor(
    private readonly raw: StreamSocket,
    readonly caller: Caller,
    readonly opened_ms: number,
    private readonly onClosed: (reason: CloseReason) => void,
  ) {}

  /** Runs `work` once when the connection is closed or the stream has ended; at once if it already has. */
  whenLeft(work: () => void): void {
    if (this.left) work();
    else this.leaving = work;
  }

  /** Nothing more will be written. */
  get over(): boolean {
    return this.ended;
  }

  write(text: string | Promise<string>): void {
    if (this.ended) return;
    if (typeof text === 'string' && this.opening === 0) this.send(text);
    else this.sendLater(text);
  }

  /** Ends the stream after pending text is written. */
  end(): void {
    if (this.ended) return;
    if (this.opening > 0) void this.last.then(() => this.finish());
    else this.finish();
  }

  /** Ends the stream early. A later `beat` disconnects a reader that does not even read this event. */
  close(reason: CloseReason): void {
    if (this.ended) return;
    this.onClosed(reason);
    this.finish(`event: closed\ndata: ${JSON.stringify({ reason, detail: DETAILS[reason] })}\n\n`);
  }

  /** Resolves when more may be written; false if the stream is over. */
  waitForCapacity(): Promise<boolean> | boolean {
    if (this.ended || this.raw.writableLength < BUFFERED_BYTES_MAX) return !this.ended;
    return new Promise((resolve) => {
      if (this.waiters.push(resolve) === 1) this.raw.once('drain', () => this.wake());
    });
  }

  /** Sends a heartbeat. Closes a stream whose reader has read nothing since the last one, and disconnects one that was closed before. */
  beat(): void {
    const waiting = this.raw.writableLength;
    const taken_bytes = (this.raw.socket?.bytesWritten ?? 0) - waiting;
    const stalled = waiting > 0 && taken_bytes === this.taken_bytes;
    this.taken_bytes = taken_bytes;
    if (stalled && this.ended) this.cut();
    else if (stalled) this.close('slow_consumer');
    else if (!this.ended) this.raw.write(': still here\n\n');
  }

  /** Destroys the connection and discards unread data. */
  cut(): void {
    this.raw.destroy();
  }

  /** Called when the connection is closed. */
  disconnected(): void {
    this.ended = true;
    this.leave();
  }

  private send(text: string): void {
    if (this.raw.writableLength > BUFFERED_BYTES_MAX) this.close('slow_consumer');
    else this.raw.write(text);
  }

  private sendLater(text: string | Promise<string>): void {
    if (this.opening >= OPENING_MAX) {
      this.close('slow_consumer');
      return;
    }
    this.opening++;
    this.last = Promise.all([text, this.last]).then(
      ([opened]) => {
        this.opening--;
        if (!this.ended) this.send(opened);
      },
      () => this.close('unavailable'),
    );
  }

  private finish(text?: string): void {
    if (this.ended) return;
    this.ended = true;
    this.raw.end(text);
    this.leave();
  }

  private leave(): void {
    if (this.left) return;
    this.left = true;
    this.wake();
    this.leaving?.();
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve(!this.ended);
  }
}
