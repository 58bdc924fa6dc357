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

/** A number of a query in decimal digits: empty, padded or hexadecimal text is refused. */
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

/** `limit`: the page size. */
export const queryLimit = (maximum = LIMIT_MAX) => queryNumber({ type: 'integer', minimum: 1, maximum });

/** The position where the list continues. */
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

/** Comma-separated values of a query. */
export const commaList = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .string()
    .max(2000)
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.array(item));

/** The query of every list: page size and cursor. */
export const pageQuery = z.strictObject({
  limit: queryLimit().default(LIMIT_DEFAULT),
  cursor: queryCursor.optional(),
});

export type PageQuery = z.infer<typeof pageQuery>;

/** Page size and start position, in the form of lists and stores. */
export const placeOf = ({ limit, cursor }: PageQuery): { limit: number; after?: Cursor } => ({
  limit,
  ...(cursor ? { after: cursor } : {}),
});

/** A page of a list; `next_cursor`: the start of the next one, null at the end. */
export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** Response schema for a page of these items. */
export const pageOfItems = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next_cursor: z.string().nullable() });

/** Converts a list query to the form of the store. */
export function storeQuery<Q extends { cursor?: Cursor | undefined }>({ cursor, ...rest }: Q): Omit<Q, 'cursor'> & { after?: Cursor } {
  return cursor ? { ...rest, after: cursor } : rest;
}
