import { type Refusal } from '@countersign/calls';
import { z } from 'zod';
import { parseBody } from '../requests/body-issues.js';
import type { HttpRequest } from './reply.js';

const DECIMAL = /^-?\d{1,16}(\.\d{1,16})?$/;

/** A number of a query, in decimal digits. Blank, padded or hexadecimal texts are no number: `?limit=` is refused and not taken for 0. */
export function fromQuery<T extends z.ZodType<number>>(type: T) {
  return z.preprocess((text) => (typeof text === 'string' && DECIMAL.test(text) ? Number(text) : text), type);
}

/** Made with the first request of a shape: making a schema takes some eighty times as long as reading a query by it. */
const schemas = new WeakMap<z.ZodRawShape, z.ZodType>();

/** The query of a request in this shape, nothing else. The shape is a constant: its schema is kept by it. */
export function queryOf<S extends z.ZodRawShape>(request: HttpRequest, shape: S): z.infer<z.ZodObject<S>> | Refusal {
  const schema = schemas.get(shape) ?? z.strictObject(shape);
  schemas.set(shape, schema);
  return parseBody(schema as z.ZodType<z.infer<z.ZodObject<S>>>, request.query ?? {});
}
