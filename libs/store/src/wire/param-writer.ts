import { type ArrayType, arrayTypes, oidOf } from '../array-types.js';
import { GrowingBuffer } from './growing-buffer.js';
import { encodeParam } from './values.js';

/** The header of a binary COPY: signature, no flags, no extension. */
const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TWO_TO_32 = 0x1_0000_0000;

/** Value of a hexadecimal digit by its character code; 255 for any other character. */
const DIGITS = new Uint8Array(128).fill(255);
for (let digit = 0; digit < 16; digit++) {
  DIGITS[digit.toString(16).charCodeAt(0)] = digit;
  DIGITS[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

const isWhole = (value: unknown, limit: number): value is number => Number.isInteger(value) && Math.abs(value as number) <= limit;

/**
 * Writes parameters in the format of a Bind message (manual, chapter 55.7): formats, then values. Arrays of known types are sent in
 * binary (array_recv), so that neither side has to quote, escape or parse them. If an element does not fit its type, the array is sent as
 * text, and PostgreSQL reports the error.
 */
export class ParamWriter {
  readonly #out = new GrowingBuffer();

  get used(): number {
    return this.#out.used;
  }

  /** The parameters of one statement. */
  params(text: string, params: readonly unknown[]): void {
    const types = arrayTypes(text);
    this.#out.int16(params.length);
    const formats = this.#out.used;
    for (let i = 0; i < params.length; i++) this.#out.int16(0);
    this.#out.int16(params.length);
    for (let i = 0; i < params.length; i++) if (this.#param(params[i], types[i])) this.#out.bytes.writeInt16BE(1, formats + 2 * i);
  }

  /** One parameter: bytes if it is sent in binary, else its text. */
  param(value: unknown, type: ArrayType | undefined): string | Buffer | null {
    if (!Array.isArray(value) || type === undefined) return encodeParam(value);
    const bytes = this.#array(value, type) ? this.take().subarray(4) : undefined;
    this.#out.used = 0;
    return bytes ?? encodeParam(value);
  }

  /**
   * Rows in the format of a binary COPY (manual, COPY): header, the number of values and the values of each row, trailer. @throws
   * TypeError, with nothing written, if a value does not fit its type
   */
  copyRows(columns: readonly unknown[], types: readonly ArrayType[]): void {
    const start = this.#out.used;
    this.#out.append(COPY_HEADER);
    const values = columns as readonly (readonly unknown[])[];
    const rows = values[0]?.length ?? 0;
    for (let row = 0; row < rows; row++) {
      this.#out.int16(types.length);
      for (let at = 0; at < types.length; at++) {
        const value = values[at]?.[row];
        if (value === null || value === undefined) this.#out.int32(-1);
        else if (!this.#element(value, types[at] as ArrayType)) {
          this.#out.used = start;
          throw new TypeError(`the value of column ${at + 1} is not of type ${types[at]}`);
        }
      }
    }
    this.#out.int16(-1);
  }

  /** The same as a separate copy. */
  copied(columns: readonly unknown[], types: readonly ArrayType[]): Buffer {
    this.copyRows(columns, types);
    return this.take();
  }

  /** A separate copy of the bytes written since the last take. */
  take(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#out.used);
    this.#out.bytes.copy(bytes, 0, 0, this.#out.used);
    this.#out.used = 0;
    return bytes;
  }

  /** True if it was written in binary. */
  #param(value: unknown, type: ArrayType | undefined): boolean {
    if (type !== undefined && Array.isArray(value) && this.#array(value, type)) return true;
    const encoded = encodeParam(value);
    if (encoded === null) this.#out.int32(-1);
    else if (typeof encoded === 'string') this.#text(encoded);
    else this.#bytes(encoded);
    return encoded !== null && typeof encoded !== 'string';
  }

  /** False, with nothing written, if an element does not fit the type. */
  #array(values: readonly unknown[], type: ArrayType): boolean {
    const start = this.#out.used;
    this.#out.int32(0); // replaced by the length once it is known
    this.#out.int32(values.length === 0 ? 0 : 1); // dimensions
    const nulls = this.#out.used;
    this.#out.int32(0);
    this.#out.int32(oidOf(type));
    if (values.length > 0) {
      this.#out.int32(values.length);
      this.#out.int32(1);
    }
    // By index: the iterator results for each element were the largest allocation of a write.
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      if (value === null || value === undefined) {
        this.#out.int32(-1);
        this.#out.bytes.writeInt32BE(1, nulls);
      } else if (!this.#element(value, type)) {
        this.#out.used = start;
        return false;
      }
    }
    this.#out.bytes.writeInt32BE(this.#out.used - start - 4, start);
    return true;
  }

  #element(value: unknown, type: ArrayType): boolean {
    switch (type) {
      case 'text':
        return typeof value === 'string' && this.#text(value);
      case 'uuid':
        return typeof value === 'string' && this.#uuid(value);
      case 'bytea':
        return value instanceof Uint8Array && this.#bytes(value);
      case 'bool':
        return typeof value === 'boolean' && this.#whole(1, value ? 1 : 0);
      case 'int2':
        return isWhole(value, 32_767) && this.#whole(2, value);
      case 'int4':
        return isWhole(value, 2_147_483_647) && this.#whole(4, value);
      case 'int8':
        return isWhole(value, Number.MAX_SAFE_INTEGER) && this.#int8(value);
    }
  }

  #whole(bytes: 1 | 2 | 4, value: number): true {
    this.#out.int32(bytes);
    this.#out.room(4);
    this.#out.bytes.writeIntBE(value, this.#out.used, bytes);
    this.#out.used += bytes;
    return true;
  }

  #int8(value: number): true {
    this.#out.int32(8);
    this.#out.room(8);
    const high = Math.floor(value / TWO_TO_32);
    this.#out.bytes.writeInt32BE(high, this.#out.used);
    this.#out.bytes.writeUInt32BE(value - high * TWO_TO_32, this.#out.used + 4);
    this.#out.used += 8;
    return true;
  }

  #uuid(text: string): boolean {
    if (text.length !== 36) return false;
    this.#out.int32(16);
    this.#out.room(16);
    for (let at = 0; at < 36; at += 2) {
      if (at === 8 || at === 13 || at === 18 || at === 23) if (text.charCodeAt(at++) !== 45) return false;
      const high = DIGITS[text.charCodeAt(at)] ?? 255;
      const low = DIGITS[text.charCodeAt(at + 1)] ?? 255;
      if (high > 15 || low > 15) return false;
      this.#out.bytes[this.#out.used++] = high * 16 + low;
    }
    return true;
  }

  #text(text: string): true {
    this.#out.room(4 + text.length * 3);
    const bytes = this.#out.bytes.write(text, this.#out.used + 4, 'utf8');
    this.#out.bytes.writeInt32BE(bytes, this.#out.used);
    this.#out.used += 4 + bytes;
    return true;
  }

  #bytes(bytes: Uint8Array): true {
    this.#out.int32(bytes.byteLength);
    this.#out.append(bytes);
    return true;
  }
}
