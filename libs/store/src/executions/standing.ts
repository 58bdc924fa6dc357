import type { Sql } from '../store.js';
import { type ExecutionKey, executionId } from './execution-row.js';
import { rowsOfKeys } from './rows.js';

/** Whether the answer of an attempt stands. */
export interface Standing extends ExecutionKey {
  /** Null: the attempt named no resource. */
  stands: boolean | null;
  /** The newest effect on what it acted on, where that ended the answer and is known. */
  superseded_by: string | null;
}

/** Whether the answers of these attempts stand; none for an attempt that has no row. Name each once. Rows name no resources yet. */
export async function readStanding(sql: Sql, attempts: readonly ExecutionKey[]): Promise<Standing[]> {
  const wanted = new Set(attempts.map(executionId));
  const rows = await rowsOfKeys(sql, [...new Set(attempts.map(({ key }) => key))]);
  return rows
    .filter((row) => wanted.has(executionId(row)))
    .map(({ key, attempt }) => ({ key, attempt, stands: null, superseded_by: null }));
}
