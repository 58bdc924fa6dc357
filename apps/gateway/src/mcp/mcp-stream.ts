import type { ServerResponse } from 'node:http';
import type { Caller } from '@countersign/calls';
import type { HeldStream } from '../streams/open-streams.js';

/** A stream that the SDK writes. It sends heartbeats of its own; here its reader is checked. */
export class McpStream implements HeldStream {
  over = false;
  private taken_bytes = -1;

  constructor(
    private readonly raw: ServerResponse,
    readonly caller: Caller,
    readonly opened_ms: number,
  ) {}

  /** The SDK may still write: only a destroyed response takes that. */
  close(): void {
    this.over = true;
    this.raw.destroy();
  }

  cut(): void {
    this.raw.destroy();
  }

  beat(): void {
    const waiting = this.raw.writableLength;
    const taken_bytes = (this.raw.socket?.bytesWritten ?? 0) - waiting;
    if (waiting > 0 && taken_bytes === this.taken_bytes) this.close();
    this.taken_bytes = taken_bytes;
  }

  disconnected(): void {
    this.over = true;
  }
}
