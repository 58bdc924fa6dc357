import { LEASE } from '../leases/lease-guard.js';
import type { Sql, Statement } from '../store.js';
import { firstOf } from './claim.js';
import type { ExecutionKey, SourceTopic } from './execution-row.js';

export interface Tombstone extends ExecutionKey {
  tenant_id: string;
  call_uuid: string;
  partition: number;
  digest8: number;
  source_topic: SourceTopic;
  /** Offset of the denial, expiry or cancellation. */
  source_offset: number;
  ended_at_s: number;
}

const TOMBSTONES = `WITH ${LEASE}, items AS (
  SELECT * FROM unnest($2::uuid[], $3::int2[], $4::text[], $5::uuid[], $6::int2[], $7::int8[], $8::int2[], $9::int8[], $10::int4[])
  AS i(key, attempt, tenant_id, call_uuid, partition, digest8, source_topic, source_offset, ended_at_s))
INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch, ended_at_s)
SELECT i.key, i.attempt, i.tenant_id, i.call_uuid, i.partition, 5, i.digest8, i.source_topic, i.source_offset, lease.lane, lease.epoch, i.ended_at_s
FROM lease CROSS JOIN items i
WHERE i.attempt = 1 OR EXISTS (SELECT FROM tool_executions p WHERE p.key = i.key AND p.attempt = i.attempt - 1 AND p.state IN (2, 4, 5))
ORDER BY i.key ON CONFLICT (key, attempt) DO NOTHING RETURNING key, attempt`;

export function tombstonesStatement(epoch: number, items: readonly Tombstone[]): Statement {
  return {
    name: 'tombstones',
    text: TOMBSTONES,
    params: [
      epoch,
      items.map((item) => item.key),
      items.map((item) => item.attempt),
      items.map((item) => item.tenant_id),
      items.map((item) => item.call_uuid),
      items.map((item) => item.partition),
      items.map((item) => item.digest8),
      items.map((item) => item.source_topic),
      items.map((item) => item.source_offset),
      items.map((item) => item.ended_at_s),
    ],
  };
}

/** Inserts released rows for calls that were denied, expired or cancelled; true where the tombstone won. */
export async function tombstones(sql: Sql, epoch: number, items: readonly Tombstone[]): Promise<boolean[]> {
  if (items.length === 0) return [];
  return firstOf(items, await sql.query<{ key: string; attempt: number }>(tombstonesStatement(epoch, items)));
}
