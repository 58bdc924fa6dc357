import type { Sql } from '../store.js';

/**
 * A snapshot that shortens the start of policy: its open state and the offsets that it covers, both as text in policy's own format.
 * Losing it only costs time.
 */
export interface PolicySnapshot {
  body: string;
  offsets: string;
}

const SAVE = `INSERT INTO policy_snapshots (lane, partition, body, offsets) VALUES ($1, $2, $3, $4)
ON CONFLICT (lane, partition) DO UPDATE SET body = excluded.body, offsets = excluded.offsets`;

export async function savePolicySnapshot(sql: Sql, lane: string, partition: number, snapshot: PolicySnapshot): Promise<void> {
  await sql.query({ name: 'policy_snapshot_save', text: SAVE, params: [lane, partition, snapshot.body, snapshot.offsets] });
}

export async function readPolicySnapshot(sql: Sql, lane: string, partition: number): Promise<PolicySnapshot | null> {
  const text = 'SELECT body, offsets FROM policy_snapshots WHERE lane = $1 AND partition = $2';
  const rows = await sql.query<{ body: string; offsets: string }>({ name: 'policy_snapshot_read', text, params: [lane, partition] });
  return rows[0] ?? null;
}
