/**
 * The bytes of a base64 text, where the text is the one way to write them: no other alphabet, nothing after the padding, no spare bits.
 * @throws RangeError for any other text
 */
export function strictBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new RangeError('not the base64 text of any bytes');
  return bytes;
}
