import type { Row } from '../store.js';
import { decodeText } from './values.js';

export interface WireError {
  sqlstate: string | undefined;
  message: string;
}

/** The response to one batch of statements: the rows and the command tag ('INSERT 0 64') of each, or the first error. */
export interface WireAnswer {
  rows: Row[][];
  tags: string[];
  error: WireError | null;
}

interface Column {
  name: string;
  type: number;
}

/** Decodes the response messages of a PostgreSQL backend, one statement's result after another. */
export class BackendMessages {
  readonly #bytes: Buffer;
  #at = 0;
  #columns: Column[] = [];
  #rows: Row[] = [];
  readonly #answer: WireAnswer = { rows: [], tags: [], error: null };

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  decode(): WireAnswer {
    while (this.#at + 5 <= this.#bytes.length) {
      const kind = this.#bytes[this.#at] as number;
      const end = this.#at + 1 + this.#bytes.readInt32BE(this.#at + 1);
      this.#at += 5;
      this.#message(kind, end);
      this.#at = end;
    }
    return this.#answer;
  }

  #message(kind: number, end: number): void {
    switch (kind) {
      case 0x44 /* D, DataRow */:
        this.#rows.push(this.#row());
        break;
      case 0x54 /* T, RowDescription */:
        this.#columns = this.#description();
        break;
      case 0x43 /* C, CommandComplete */:
        this.#result(this.#bytes.toString('utf8', this.#at, end - 1));
        break;
      case 0x49 /* I, EmptyQueryResponse */:
        this.#result('');
        break;
      case 0x45 /* E, ErrorResponse */:
        this.#answer.error ??= this.#error(end);
        break;
    }
  }

  #result(tag: string): void {
    this.#answer.rows.push(this.#rows);
    this.#answer.tags.push(tag);
    this.#rows = [];
    this.#columns = [];
  }

  #description(): Column[] {
    const columns: Column[] = [];
    const count = this.#int16();
    for (let i = 0; i < count; i++) {
      const name = this.#text();
      const type = this.#bytes.readInt32BE(this.#at + 6);
      this.#at += 18;
      columns.push({ name, type });
    }
    return columns;
  }

  #row(): Row {
    const row: Row = {};
    const count = this.#int16();
    for (let i = 0; i < count; i++) {
      const column = this.#columns[i] as Column;
      const length = this.#bytes.readInt32BE(this.#at);
      this.#at += 4;
      if (length < 0) {
        row[column.name] = null;
        continue;
      }
      row[column.name] = decodeText(column.type, this.#bytes.toString('utf8', this.#at, this.#at + length));
      this.#at += length;
    }
    return row;
  }

  #error(end: number): WireError {
    const error: WireError = { sqlstate: undefined, message: 'unknown error' };
    while (this.#at < end && this.#bytes[this.#at] !== 0) {
      const field = this.#bytes[this.#at++];
      const text = this.#text();
      if (field === 0x43 /* C */) error.sqlstate = text;
      if (field === 0x4d /* M */) error.message = text;
    }
    return error;
  }

  #int16(): number {
    const value = this.#bytes.readInt16BE(this.#at);
    this.#at += 2;
    return value;
  }

  #text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }
}
