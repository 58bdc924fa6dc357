const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = '='.charCodeAt(0);
const INVALID = 255;
const values = new Uint8Array(128).fill(INVALID);
for (let at = 0; at < ALPHABET.length; at++) values[ALPHABET.charCodeAt(at)] = at;

const notBase64 = (): RangeError => new RangeError('not the base64 text of any bytes');

/**
 * Decodes a base64 text that is in canonical form: standard alphabet, padded, nothing after the padding, no spare bits.
 * @throws RangeError for any other text
 */
export function strictBase64(text: string): Uint8Array {
  const { length } = text;
  if (length % 4 !== 0) throw notBase64();
  const padding = length === 0 ? 0 : paddingOf(text);
  const bytes = new Uint8Array((length / 4) * 3 - padding);
  const whole = padding === 0 ? length : length - 4;
  let to = 0;
  for (let at = 0; at < whole; at += 4) {
    const bits = quad(text, at, 4);
    bytes[to++] = bits >> 16;
    bytes[to++] = (bits >> 8) & 255;
    bytes[to++] = bits & 255;
  }
  if (padding > 0) {
    const bits = quad(text, whole, 4 - padding);
    if ((bits & (padding === 1 ? 0xff : 0xffff)) !== 0) throw notBase64();
    bytes[to++] = bits >> 16;
    if (padding === 1) bytes[to++] = (bits >> 8) & 255;
  }
  return bytes;
}

function paddingOf(text: string): number {
  const { length } = text;
  if (text.charCodeAt(length - 1) !== PADDING) return 0;
  return text.charCodeAt(length - 2) === PADDING ? 2 : 1;
}

/** 24 bits of `count` characters from `at`; missing ones are zero. @throws RangeError if one is not of the alphabet */
function quad(text: string, at: number, count: number): number {
  let bits = 0;
  for (let n = 0; n < count; n++) {
    const code = text.charCodeAt(at + n);
    const value = code < 128 ? (values[code] as number) : INVALID;
    if (value === INVALID) throw notBase64();
    bits |= value << (18 - 6 * n);
  }
  return bits;
}

/** The base64 text of bytes, padded. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  for (; at + 2 < bytes.length; at += 3) {
    const bits = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    text += symbol(bits >> 18) + symbol(bits >> 12) + symbol(bits >> 6) + symbol(bits);
  }
  const rest = bytes.length - at;
  if (rest === 0) return text;
  const bits = ((bytes[at] as number) << 16) | (rest === 2 ? (bytes[at + 1] as number) << 8 : 0);
  return `${text}${symbol(bits >> 18)}${symbol(bits >> 12)}${rest === 2 ? symbol(bits >> 6) : '='}=`;
}

const symbol = (bits: number): string => ALPHABET[bits & 63] as string;
