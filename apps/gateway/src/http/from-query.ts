import { z } from 'zod';

const DECIMAL = /^-?\d{1,16}(\.\d{1,16})?$/;

/** A number of a query, in decimal digits. Blank, padded or hexadecimal texts are no number: `?limit=` is refused and not taken for 0. */
export function fromQuery<T extends z.ZodType<number>>(type: T) {
  return z.preprocess((text) => (typeof text === 'string' && DECIMAL.test(text) ? Number(text) : text), type);
}
