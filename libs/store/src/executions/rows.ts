import type { Sql, Statement } from '../store.js';
import { EXECUTION_COLUMNS, type ExecutionRow } from './execution-row.js';
import { standsSql } from './standing.js';

/** A row, and whether its result is still valid (null: it named no resource). */
export interface StandingExecution extends ExecutionRow {
  stands: boolean | null;
}

const ROWS_OF_KEYS = `SELECT ${EXECUTION_COLUMNS}, ${standsSql('t')} AS stands FROM unnest($1::uuid[]) AS k(key) JOIN tool_executions t ON t.key = k.key ORDER BY t.key, t.attempt`;

export function rowsOfKeysStatement(keys: readonly string[]): Statement {
  return { name: 'rows_of_keys', text: ROWS_OF_KEYS, params: [keys] };
}

/** All attempts of these keys, ordered by key and attempt. List each key once. */
export async function rowsOfKeys(sql: Sql, keys: readonly string[]): Promise<StandingExecution[]> {
  if (keys.length === 0) return [];
  return await sql.query<StandingExecution & Record<string, unknown>>(rowsOfKeysStatement(keys));
}
