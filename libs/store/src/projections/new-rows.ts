import { arrayTypes } from '../array-types.js';
import type { Statement } from '../store.js';

/** SQLSTATE of a row whose key already exists. */
export const UNIQUE_VIOLATION = '23505';

const CLAUSE = 'ON CONFLICT';
/** An INSERT that only unnests arrays, one for each column. */
const ARRAYS = /^INSERT INTO (\S+)(?: AS \S+)? \(([^)]*)\)\s+SELECT \* FROM unnest\([^)]*\)\s*$/;

/**
 * For a statement whose rows are declared new: the same INSERT without ON CONFLICT, which saves a quarter of its cost, or as a COPY if
 * possible, which saves another quarter. It fails with `UNIQUE_VIOLATION` if a row exists (as a COPY also with a TypeError if a value has
 * another type) and writes nothing: run the original statement then.
 */
export function asNewRows(statement: Statement): Statement {
  const { name, text, params, new_rows } = statement;
  const end = new_rows ? text.indexOf(CLAUSE) : -1;
  if (end < 0) return statement;
  const insert = text.slice(0, end);
  const named = (kind: string) => (name === undefined ? {} : { name: `${name}_${kind}` });
  const [, table, columns] = ARRAYS.exec(insert) ?? [];
  const copy = arrayTypes(insert).filter((type) => type !== undefined);
  if (table === undefined || copy.length !== params.length) return { text: insert, params, ...named('new') };
  return { text: `COPY ${table} (${columns}) FROM STDIN (FORMAT BINARY)`, params, copy, ...named('copy') };
}
