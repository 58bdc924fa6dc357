import type { Statement } from '../store.js';

/** SQLSTATE of a row whose key is in the table already. */
export const UNIQUE_VIOLATION = '23505';

const CLAUSE = 'ON CONFLICT';

/**
 * The same INSERT without its ON CONFLICT, which costs a quarter of it, where its rows are said to be new. It fails with
 * `UNIQUE_VIOLATION` where one is there, and nothing is written: then the statement itself is to be run.
 */
export function asNewRows(statement: Statement): Statement {
  const { name, text, params, new_rows } = statement;
  const end = new_rows ? text.indexOf(CLAUSE) : -1;
  if (end < 0) return statement;
  return { text: text.slice(0, end), params, ...(name === undefined ? {} : { name: `${name}_new` }) };
}
