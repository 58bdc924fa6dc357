import { LEASE } from '../leases/lease-guard.js';
import type { Sql, Statement } from '../store.js';
import { type ExecutionKey, executionId, type OpenState, type SourceTopic } from './execution-row.js';

export interface Claim extends ExecutionKey {
  tenant_id: string;
  call_uuid: string;
  partition: number;
  state: OpenState;
  digest8: number;
  source_topic: SourceTopic;
  source_offset: number;
  /** Consumed by the claim; null if none is required. */
  approval_id: string | null;
}

const ITEMS = `items AS (SELECT * FROM unnest($2::uuid[], $3::int2[], $4::text[], $5::uuid[], $6::int2[], $7::int2[], $8::int8[], $9::int2[], $10::int8[])
  AS i(key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset))`;
const ITEMS_WITH_APPROVAL = ITEMS.replace('$10::int8[])', '$10::int8[], $11::text[])').replace(
  'source_offset))',
  'source_offset, approval_id))',
);

const INSERT = `INSERT INTO tool_executions (key, attempt, tenant_id, call_uuid, partition, state, digest8, source_topic, source_offset, lane, epoch)
SELECT i.key, i.attempt, i.tenant_id, i.call_uuid, i.partition, i.state, i.digest8, i.source_topic, i.source_offset, lease.lane, lease.epoch
FROM lease CROSS JOIN items i`;
const PREDECESSOR = `(i.attempt = 1 OR EXISTS (SELECT FROM tool_executions p WHERE p.key = i.key AND p.attempt = i.attempt - 1 AND p.state IN (2, 4, 5)))`;
// Rows are locked in key order, so that overlapping batches do not deadlock.
export const FIRST_WINS = 'ORDER BY i.key ON CONFLICT (key, attempt) DO NOTHING RETURNING key, attempt';

const CLAIM = `WITH ${LEASE}, ${ITEMS}\n${INSERT} WHERE ${PREDECESSOR} ${FIRST_WINS}`;

// An approval that a call consumed with a claim that then lost its key stays with that call: its next attempt may use it.
const CLAIM_WITH_APPROVAL = `WITH ${LEASE}, ${ITEMS_WITH_APPROVAL},
uses AS (INSERT INTO approval_uses (approval_id, call_uuid)
  SELECT i.approval_id, i.call_uuid FROM lease CROSS JOIN items i
  WHERE i.approval_id IS NOT NULL AND ${PREDECESSOR}
    AND NOT EXISTS (SELECT FROM tool_executions t WHERE t.key = i.key AND t.attempt = i.attempt)
  ORDER BY i.approval_id ON CONFLICT (approval_id) DO NOTHING RETURNING approval_id, call_uuid)
${INSERT} WHERE ${PREDECESSOR}
  AND (i.approval_id IS NULL OR EXISTS (SELECT FROM uses u WHERE u.approval_id = i.approval_id AND u.call_uuid = i.call_uuid)
    OR EXISTS (SELECT FROM approval_uses a WHERE a.approval_id = i.approval_id AND a.call_uuid = i.call_uuid))
${FIRST_WINS}`;

/** For EXPLAIN in specs and for callers that combine the claim with other statements. */
export function claimStatement(epoch: number, claims: readonly Claim[]): Statement {
  const params: unknown[] = [
    epoch,
    claims.map((claim) => claim.key),
    claims.map((claim) => claim.attempt),
    claims.map((claim) => claim.tenant_id),
    claims.map((claim) => claim.call_uuid),
    claims.map((claim) => claim.partition),
    claims.map((claim) => claim.state),
    claims.map((claim) => claim.digest8),
    claims.map((claim) => claim.source_topic),
    claims.map((claim) => claim.source_offset),
  ];
  if (claims.every((claim) => claim.approval_id === null)) return { name: 'claim', text: CLAIM, params };
  return { name: 'claim_with_approval', text: CLAIM_WITH_APPROVAL, params: [...params, claims.map((claim) => claim.approval_id)] };
}

/**
 * Claims all in one statement, under the lease of `epoch` (fenced or expired: all lost). True for each claim that won. A claim loses to
 * an existing row of its key and attempt, to an attempt n-1 that is not settled (settled: released or compensated, or succeeded where
 * the caller knows that its window expired), or to an approval that is closed or used by another call. If the response was lost, a
 * repeated claim loses to its own row: same call_uuid and epoch in `rowsOfKeys`.
 */
export async function claim(sql: Sql, epoch: number, claims: readonly Claim[]): Promise<boolean[]> {
  if (claims.length === 0) return [];
  const rows = await sql.query<{ key: string; attempt: number }>(claimStatement(epoch, claims));
  return firstOf(claims, rows);
}

/** Marks the first item for each returned row: of two items for one key in one batch, only one won. */
export function firstOf(items: readonly ExecutionKey[], rows: readonly ExecutionKey[]): boolean[] {
  const won = new Set(rows.map(executionId));
  return items.map((item) => won.delete(executionId(item)));
}
