import { Refusal } from '@countersign/calls';
import { type Cursor, cursorText, parseCursor } from '@countersign/store';
import { z } from 'zod';
import { fromQuery, queryOf } from './from-query.js';
import type { HttpRequest } from './reply.js';

export const LIMIT_MAX = 500;
export const LIMIT_DEFAULT = 100;

/** What every list takes. */
export const listQuery = {
  limit: fromQuery(z.number().int().min(1).max(LIMIT_MAX)).default(LIMIT_DEFAULT),
  cursor: z.string().max(400).optional(),
};

export type Listed<S extends z.ZodRawShape> = Omit<z.infer<z.ZodObject<S>>, 'cursor'> & { limit: number; after?: Cursor };

const NO_FILTERS = {};
/** Filters → the shape of their list. */
const shapes = new WeakMap<z.ZodRawShape, z.ZodRawShape>();

/** The query of a list: its filters, which are a constant, `limit` and the place to go on from. */
export function listed<S extends z.ZodRawShape = Record<never, never>>(
  request: HttpRequest,
  filters: S = NO_FILTERS as S,
): Listed<S> | Refusal {
  const shape = shapes.get(filters) ?? { ...filters, ...listQuery };
  shapes.set(filters, shape);
  const query = queryOf(request, shape);
  if (query instanceof Refusal) return query;
  const { cursor, ...rest } = query as { cursor?: string; limit: number };
  if (cursor === undefined) return rest as Listed<S>;
  const after = parseCursor(cursor);
  if (!after)
    return new Refusal('invalid-request', 'the cursor is none of ours', {
      issues: [{ path: '/cursor', code: 'cursor', message: 'is not valid' }],
    });
  return { ...rest, after } as Listed<S>;
}

/** A page of a list that is in memory, in the order of `idOf`. */
export function pageOf<T, F>(
  items: readonly T[],
  page: { limit: number; after?: Cursor },
  idOf: (item: T) => string,
  face: (item: T) => F,
): { items: F[]; next_cursor: string | null } {
  const sorted = [...items].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const after = page.after;
  const rest = after ? sorted.filter((item) => idOf(item) > after.id) : sorted;
  const shown = rest.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(face),
    next_cursor: rest.length > shown.length && last !== undefined ? cursorText({ at: 0, id: idOf(last) }) : null,
  };
}
