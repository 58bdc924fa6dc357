/** Messages of the PostgreSQL extended query protocol (manual, chapter 55), written one after another into one growing buffer. */
export class FrontendMessages {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #used = 0;

  parse(name: string, text: string): void {
    const start = this.#open('P');
    this.#text(name);
    this.#text(text);
    this.#int16(0);
    this.#close(start);
  }

  /** Binds the unnamed portal. `params`: as ParamWriter wrote them; results in text. */
  bind(statement: string, params: Uint8Array): void {
    const start = this.#open('B');
    this.#text('');
    this.#text(statement);
    this.#room(params.byteLength);
    this.#buffer.set(params, this.#used);
    this.#used += params.byteLength;
    this.#int16(0);
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
    this.#int32(0);
    this.#close(start);
  }

  /** What a COPY reads, whole. */
  copyData(rows: Uint8Array): void {
    const start = this.#open('d');
    this.#room(rows.byteLength);
    this.#buffer.set(rows, this.#used);
    this.#used += rows.byteLength;
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

  /** What was written since the last take; valid until the next write. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#used = 0;
    return bytes;
  }

  #open(kind: string): number {
    this.#room(5);
    const start = this.#used;
    this.#buffer[start] = kind.charCodeAt(0);
    this.#used += 5;
    return start;
  }

  #close(start: number): void {
    this.#buffer.writeInt32BE(this.#used - start - 1, start + 1);
  }

  #text(text: string): void {
    this.#room(text.length * 3 + 1);
    this.#used += this.#buffer.write(text, this.#used, 'utf8');
    this.#buffer[this.#used++] = 0;
  }

  #int16(value: number): void {
    this.#room(2);
    this.#buffer.writeInt16BE(value, this.#used);
    this.#used += 2;
  }

  #int32(value: number): void {
    this.#room(4);
    this.#buffer.writeInt32BE(value, this.#used);
    this.#used += 4;
  }

  #room(bytes: number): void {
    if (this.#used + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#used + bytes));
    this.#buffer.copy(grown, 0, 0, this.#used);
    this.#buffer = grown;
  }
}
