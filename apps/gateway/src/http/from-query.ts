import { z } from 'zod';
import { parseBody } from './body-issues.js';
import type { Problem } from './problem.js';
import type { HttpRequest } from './reply.js';

const DECIMAL = /^-?\d{1,16}(\.\d{1,16})?$/;

/** A number of a query, in decimal digits. Blank, padded or hexadecimal texts are no number: `?limit=` is refused and not taken for 0. */
export function fromQuery<T extends z.ZodType<number>>(type: T) {
  return z.preprocess((text) => (typeof text === 'string' && DECIMAL.test(text) ? Number(text) : text), type);
}

/** The query of a request in this shape, nothing else. */
export function queryOf<S extends z.ZodRawShape>(request: HttpRequest, shape: S): z.infer<z.ZodObject<S>> | Problem {
  return parseBody(z.strictObject(shape), request.query ?? {});
}
