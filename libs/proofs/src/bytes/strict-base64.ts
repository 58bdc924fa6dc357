import * as verifier from '@countersign/verifier';
import { asBuffer } from './as-buffer.js';

/**
 * Decodes a base64 text that is in canonical form: standard alphabet, nothing after the padding, no spare bits.
 * @throws RangeError for any other text
 */
export function strictBase64(text: string): Buffer {
  return asBuffer(verifier.strictBase64(text));
}
