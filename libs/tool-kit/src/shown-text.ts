import { isUtf8 } from 'node:buffer';

const CHARACTER_BYTES_MAX = 4;

/**
 * Bytes that should be UTF-8, as text: invalid bytes are shown as `\xNN`, so that none is hidden. Such a name is only for people: tools
 * that take paths refuse backslashes.
 */
export function shownText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    const part = bytes.subarray(at, at + Math.max(1, length));
    parts.push(length > 0 ? part.toString() : `\\x${part.toString('hex')}`);
    at += part.length;
  }
  return parts.join('');
}

/** Number of bytes of the character at a position; 0 if the bytes are no character. */
function characterAt(bytes: Buffer, at: number): number {
  for (let length = 1; length <= CHARACTER_BYTES_MAX && at + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  return 0;
}
