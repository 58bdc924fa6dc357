import { type Cursor, parseCursor } from '@countersign/store';
import { z } from 'zod';
import { LIMIT_DEFAULT, LIMIT_MAX } from './lists.js';

const DECIMAL = /^\d{1,6}$/;

/** A whole number of a query, in decimal digits: an empty or padded text is no number. */
const count = z
  .string()
  .refine((text) => DECIMAL.test(text), 'is not a whole number')
  .meta({ type: 'integer', minimum: 1, maximum: LIMIT_MAX })
  .transform(Number)
  .pipe(z.number().int().min(1).max(LIMIT_MAX));

const cursor = z
  .string()
  .max(400)
  .transform((text, context): Cursor => {
    const parsed = parseCursor(text);
    if (parsed) return parsed;
    context.addIssue({ code: 'custom', params: { code: 'cursor' }, message: 'is not a cursor of this API' });
    return z.NEVER;
  });

/** The query of every list: how much of it, and after what. */
export const pageQuery = z.strictObject({
  limit: count.default(LIMIT_DEFAULT),
  cursor: cursor.optional(),
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
