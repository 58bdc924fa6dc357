import type { Row } from '../store.js';

/** The type of each column. */
export type Types<R> = { readonly [C in keyof R & string]: 'text' | 'int2' | 'int4' | 'int8' | 'bool' };
/** The columns of a row by name. */
export type Named<R extends Row> = { [C in keyof R as string extends C ? never : C]: R[C] };

/** `unnest` of rows as columns, with the parameters for it. */
export function columnsOf<R extends Row>(types: Types<Named<R>>, rows: readonly R[]) {
  const names = Object.keys(types) as (keyof Types<Named<R>>)[];
  const casts = names.map((name, at) => `$${at + 1}::${types[name]}[]`).join(', ');
  return { names: names.join(', '), unnest: `unnest(${casts})`, params: names.map((name) => rows.map((row) => row[name as string])) };
}

/** The key columns of all tables of sagas. */
export const place = { tenant_id: 'text', saga_id: 'text' } as const;

/** Assignments that take a group of columns from the new row where a condition holds. */
export const takenIf = (table: string, condition: string, columns: readonly string[]): string =>
  columns.map((name) => `${name} = CASE WHEN ${condition} THEN excluded.${name} ELSE ${table}.${name} END`).join(',\n');
