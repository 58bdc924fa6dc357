const ESCAPED = /[\\"]/g;
/** What needs no quotes in an array literal: ids, numbers, hex. Everything else is quoted, as is the word NULL. */
const PLAIN = /^[A-Za-z0-9_.+-]+$/;
const NULL_WORD = /^null$/i;

function element(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (value.length <= 64 && PLAIN.test(value) && !NULL_WORD.test(value)) return value;
      return `"${value.replace(ESCAPED, '\\$&')}"`;
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? 't' : 'f';
    default:
      if (value === null || value === undefined) return 'NULL';
      if (value instanceof Uint8Array) return `"\\\\x${asBuffer(value).toString('hex')}"`;
      throw new TypeError(`a parameter has type ${typeof value}, which the store does not support`);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * A parameter as sent to the server: text, bytes (bytea) or null. Arrays become array literals. Dates and objects are refused: times are
 * epoch ms and JSON is text.
 */
export function encodeParam(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    let text = '{';
    for (let i = 0; i < value.length; i++) text += i === 0 ? element(value[i]) : `,${element(value[i])}`;
    return `${text}}`;
  }
  if (value instanceof Uint8Array) return asBuffer(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new TypeError(`a parameter has type ${typeof value}, which the store does not support`);
}

const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const OID = 26;
const FLOAT4 = 700;
const FLOAT8 = 701;

/** int8 as number (throws beyond 2^53), bytea as Buffer, the rest as text: numeric and uuid stay strings. */
export function decodeText(type: number, text: string): unknown {
  switch (type) {
    case INT2:
    case INT4:
    case OID:
    case FLOAT4:
    case FLOAT8:
      return Number(text);
    case INT8: {
      const value = Number(text);
      if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond 2^53`);
      return value;
    }
    case BOOL:
      return text === 't';
    case BYTEA:
      return Buffer.from(text.slice(2), 'hex');
    default:
      return text;
  }
}
