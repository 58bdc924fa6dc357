import { type Cursor, parseCursor } from '@countersign/store';
import { z } from 'zod';
import { LIMIT_DEFAULT, LIMIT_MAX } from './lists.js';

const DECIMAL = /^-?\d{1,16}(\.\d{1,16})?$/;

interface Bounds {
  type: 'integer' | 'number';
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

/** A number of a query, in decimal digits: an empty, padded or hexadecimal text is no number. */
export function queryNumber(bounds: Bounds) {
  const {
    type,
    minimum = Number.NEGATIVE_INFINITY,
    exclusiveMinimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
  } = bounds;
  const inBounds = z.number().min(minimum).gt(exclusiveMinimum).max(maximum);
  return z
    .string()
    .refine((text) => DECIMAL.test(text), type === 'integer' ? 'is not a whole number' : 'is not a number')
    .meta({ ...bounds })
    .transform(Number)
    .pipe(type === 'integer' ? inBounds.int() : inBounds);
}

/** How many of a list: `limit`. */
export const queryLimit = (maximum = LIMIT_MAX) => queryNumber({ type: 'integer', minimum: 1, maximum });

/** Where a list goes on. */
export const queryCursor = z
  .string()
  .max(400)
  .transform((text, context): Cursor => {
    const parsed = parseCursor(text);
    if (parsed) return parsed;
    context.addIssue({ code: 'custom', params: { code: 'cursor' }, message: 'is not a cursor of this API' });
    return z.NEVER;
  });

/** A time of a query, as epoch ms. */
export const queryTime = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** Several values of a query, with commas between. */
export const commaList = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .string()
    .max(2000)
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.array(item));

/** The query of every list: how much of it, and after what. */
export const pageQuery = z.strictObject({
  limit: queryLimit().default(LIMIT_DEFAULT),
  cursor: queryCursor.optional(),
});

export type PageQuery = z.infer<typeof pageQuery>;

/** Where a page begins and how long it is, as lists and stores take it. */
export const placeOf = ({ limit, cursor }: PageQuery): { limit: number; after?: Cursor } => ({
  limit,
  ...(cursor ? { after: cursor } : {}),
});

/** A page of a list; `next_cursor`: where the next one begins, null at the end. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** A page of these items, as it is answered. */
export const pageOfItems = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next_cursor: z.string().nullable() });

/** A query of a list as the store takes it. */
export function storeQuery<Q extends { cursor?: Cursor | undefined }>({ cursor, ...rest }: Q): Omit<Q, 'cursor'> & { after?: Cursor } {
  return cursor ? { ...rest, after: cursor } : rest;
}
