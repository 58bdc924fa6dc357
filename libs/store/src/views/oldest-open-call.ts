import type { Sql } from '../store.js';

/** Request time of the oldest open call of all tenants, epoch ms; undefined if none is open. */
export async function oldestOpenCall(sql: Sql): Promise<number | undefined> {
  const text = `SELECT min(requested_at_ms) AS at_ms FROM calls
    WHERE status IN ('pending_policy', 'pending_approval', 'running', 'in_doubt') AND requested_at_ms > 0`;
  const [row] = await sql.query<{ at_ms: number | null }>({ text, params: [] });
  return row?.at_ms ?? undefined;
}
