import { GrowingBuffer } from './growing-buffer.js';

/** Messages of the PostgreSQL extended query protocol (manual, chapter 55), written sequentially into one growing buffer. */
export class FrontendMessages {
  readonly #out = new GrowingBuffer();

  parse(name: string, text: string): void {
    const start = this.#open('P');
    this.#text(name);
    this.#text(text);
    this.#out.int16(0);
    this.#close(start);
  }

  /** Binds the unnamed portal. `params`: as ParamWriter writes them; results in text format. */
  bind(statement: string, params: Uint8Array): void {
    const start = this.#open('B');
    this.#text('');
    this.#text(statement);
    this.#out.append(params);
    this.#out.int16(0);
    this.#close(start);
  }

  describePortal(): void {
    const start = this.#open('D');
    this.#text('P');
    this.#close(start);
  }

  execute(): void {
    const start = this.#open('E');
    this.#text('');
    this.#out.int32(0);
    this.#close(start);
  }

  /** The complete input of a COPY. */
  copyData(rows: Uint8Array): void {
    const start = this.#open('d');
    this.#out.append(rows);
    this.#close(start);
    this.#close(this.#open('c'));
  }

  closeStatement(name: string): void {
    const start = this.#open('C');
    this.#text(`S${name}`);
    this.#close(start);
  }

  sync(): void {
    this.#close(this.#open('S'));
  }

  /** The simple protocol: several commands in one text, no parameters. */
  simple(text: string): void {
    const start = this.#open('Q');
    this.#text(text);
    this.#close(start);
  }

  /** The bytes written since the last take; valid until the next write. */
  take(): Buffer {
    const bytes = this.#out.bytes.subarray(0, this.#out.used);
    this.#out.used = 0;
    return bytes;
  }

  #open(kind: string): number {
    this.#out.room(5);
    const start = this.#out.used;
    this.#out.bytes[start] = kind.charCodeAt(0);
    this.#out.used += 5;
    return start;
  }

  #close(start: number): void {
    this.#out.bytes.writeInt32BE(this.#out.used - start - 1, start + 1);
  }

  #text(text: string): void {
    this.#out.room(text.length * 3 + 1);
    this.#out.used += this.#out.bytes.write(text, this.#out.used, 'utf8');
    this.#out.bytes[this.#out.used++] = 0;
  }
}
