/**
 * Decodes a base64 text that is in canonical form: standard alphabet, nothing after the padding, no spare bits.
 * @throws RangeError for any other text
 */
export function strictBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new RangeError('not the base64 text of any bytes');
  return bytes;
}
