import type { Sql } from '../store.js';
import { type ExecutionKey, executionId, executionState } from './execution-row.js';
import { rowsOfKeys } from './rows.js';

/** Whether the effect of an attempt still stands. */
export interface Standing extends ExecutionKey {
  /** Null where nothing tells: the attempt named no resource, or has no row. */
  stands: boolean | null;
  /** The call whose effect ended it, where one is known. */
  superseded_by: { call_uuid: string; partition: number } | null;
}

/** Standings in the order of the keys. One query. Only a compensated or released attempt is known not to stand: rows name no resources. */
export async function readStanding(sql: Sql, keys: readonly ExecutionKey[]): Promise<Standing[]> {
  const rows = await rowsOfKeys(sql, [...new Set(keys.map(({ key }) => key))]);
  const byId = new Map(rows.map((row) => [executionId(row), row.state]));
  return keys.map(({ key, attempt }) => {
    const state = byId.get(executionId({ key, attempt }));
    const over = state === executionState.compensated || state === executionState.released;
    return { key, attempt, stands: over ? false : null, superseded_by: null };
  });
}
