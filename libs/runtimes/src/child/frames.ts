import type { Duplex } from 'node:stream';

/** The received bytes are not a message: too long, or not JSON. */
export class BadFrame extends Error {}

const NEWLINE = 10;
/** A blob of 64 MB as base64, and the fields around it. */
const FRAME_BYTES_MAX = 96 * 1024 * 1024;

/** Splits a stream of bytes into messages: one line of JSON each. */
export class FrameReader {
  private parts: Buffer[] = [];
  private held_bytes = 0;

  constructor(private readonly frame_bytes_max = FRAME_BYTES_MAX) {}

  /** The messages that these bytes complete. @throws BadFrame */
  take(bytes: Buffer): unknown[] {
    const messages: unknown[] = [];
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      messages.push(this.message(bytes.subarray(from, at)));
      from = at + 1;
    }
    if (from < bytes.length) this.hold(bytes.subarray(from));
    return messages;
  }

  private message(end: Buffer): unknown {
    this.hold(end);
    const line = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts, this.held_bytes);
    this.parts = [];
    this.held_bytes = 0;
    try {
      return JSON.parse(line.toString());
    } catch {
      throw new BadFrame('it wrote a message that is not JSON');
    }
  }

  private hold(part: Buffer): void {
    this.parts.push(part);
    this.held_bytes += part.length;
    if (this.held_bytes > this.frame_bytes_max) throw new BadFrame(`it wrote a message of more than ${this.frame_bytes_max} bytes`);
  }
}

/** Writes all messages of one turn of the event loop together. */
export class FrameWriter {
  private lines = '';

  constructor(private readonly stream: Duplex) {}

  /** @param json one message without line breaks, as `JSON.stringify` returns it */
  write(json: string): void {
    if (this.lines === '') setImmediate(() => this.flush());
    this.lines += `${json}\n`;
  }

  private flush(): void {
    const { lines } = this;
    this.lines = '';
    if (!this.stream.destroyed) this.stream.write(lines);
  }
}
