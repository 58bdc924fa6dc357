import type { Sql, Statement } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';

const ROWS_OF_KEYS = `SELECT ${EXECUTION_COLUMNS} FROM unnest($1::uuid[]) AS k(key) JOIN tool_executions t ON t.key = k.key ORDER BY t.key, t.attempt`;

export function rowsOfKeysStatement(keys: readonly string[]): Statement {
  return { name: 'rows_of_keys', text: ROWS_OF_KEYS, params: [keys] };
}

/** All attempts of these keys, by key and attempt. Name each key once. */
export async function rowsOfKeys(sql: Sql, keys: readonly string[]): Promise<ExecutionRow[]> {
  if (keys.length === 0) return [];
  return await sql.query<ExecutionRow & Record<string, unknown>>(rowsOfKeysStatement(keys));
}
