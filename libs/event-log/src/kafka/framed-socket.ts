import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { FrameReader } from './frame-reader.js';

/** No response reaches this size: a fetch returns at most `ANSWER_BYTES_MAX`, metadata of ten thousand partitions about 1 MB. */
export const FRAME_BYTES_MAX = 32 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;

export interface FramedSocketOptions {
  /** Called once, when the connection is established, unless kafkajs abandoned it earlier. */
  onConnect(): void;
  /** The connection ended although kafkajs did not close it. `waiting`: a request or the connect was pending. */
  onLost(reason: string, waiting: boolean): void;
  /** The connection is cut if a request is pending and no byte arrived for this long. Absent: only kafkajs's request timeout applies. */
  staleness_ms?: number;
  frame_bytes_max?: number;
}

/**
 * The socket functions that kafkajs uses (`on`, `write`, `end`, `unref`), with complete frames only. kafkajs 2.2.4 keeps the part of a
 * response that it has read in its `Connection`, which outlives the socket: it then reads the first bytes of the next connection as the
 * rest of the cut response. Here a 'data' event is always one complete frame, so that kafkajs keeps nothing, and a partial frame is
 * dropped with its socket (decisions/0025).
 * - An invalid frame, and an exception of kafkajs while it handles one, end the connection and never the process.
 * - Once connected, every end is reported as 'end': after an 'error' kafkajs would wait for a running authentication for ever. Before
 *   that it is an 'error': after an 'end' kafkajs would wait for the connect for ever.
 * - After `end` nothing is emitted: events of an old socket would close the connection that replaced it.
 */
export class FramedSocket extends EventEmitter {
  private readonly frames: FrameReader;
  private connected = false;
  private over = false;
  private awaited = 0;

  constructor(
    private readonly socket: Socket,
    private readonly options: FramedSocketOptions,
  ) {
    super();
    this.frames = new FrameReader(options.frame_bytes_max ?? FRAME_BYTES_MAX);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    if (options.staleness_ms !== undefined) socket.setTimeout(options.staleness_ms);
    socket.on('timeout', () => this.silent());
    socket.on('data', (chunk) => this.read(chunk));
    socket.on('end', () => this.lost('the broker closed the connection'));
    socket.on('error', (error) => this.lost(error.message));
    socket.on('close', () => this.lost('the connection was closed'));
  }

  /** The socket is connected (and, with TLS, its handshake is done). */
  established(): void {
    if (this.over) return;
    this.connected = true;
    this.options.onConnect();
  }

  /** @throws if the connection has ended: kafkajs then rejects the request at once instead of waiting for its timeout. */
  write(payload: string | Buffer, encoding?: BufferEncoding): boolean {
    if (this.over) throw new Error('the connection to the broker has ended');
    this.awaited++;
    return this.socket.write(payload, encoding);
  }

  /** kafkajs is done with the socket: pending writes are flushed, and nothing more is emitted. */
  end(): void {
    this.over = true;
    this.socket.destroySoon();
  }

  unref(): void {
    this.socket.unref();
  }

  /** Ends the connection as a lost network would. */
  cut(reason: string): void {
    this.lost(reason);
  }

  private silent(): void {
    if (this.awaited > 0) this.lost(`received no byte for ${this.options.staleness_ms} ms while a request waits for its response`);
  }

  private read(chunk: Buffer): void {
    try {
      this.frames.push(chunk, (frame) => {
        this.awaited = Math.max(0, this.awaited - 1);
        if (!this.over) this.emit('data', frame);
      });
    } catch (error) {
      this.lost(error instanceof Error ? error.message : String(error));
    }
  }

  private lost(reason: string): void {
    if (this.over) return;
    this.over = true;
    this.socket.destroy();
    this.options.onLost(reason, this.awaited > 0 || !this.connected);
    if (this.connected) this.emit('end');
    else this.emit('error', new Error(reason));
  }
}
