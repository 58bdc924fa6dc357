import { callId, parseCallId } from '@countersign/contracts';
import type { Sql } from '../store.js';

/** A reference that a call claims. */
export interface CallReference {
  tenant_id: string;
  external_id: string;
  call_id: string;
}

// An embedded installation loses rows when it stops uncleanly. The view of calls is folded from the log, so it has precedence.
const CLAIM = `WITH recorded AS (
  SELECT call_uuid, partition FROM calls WHERE tenant_id = $1 AND external_id = $2
  ORDER BY (call_uuid = $3::uuid AND partition = $4::int2) DESC, requested_at_ms LIMIT 1)
INSERT INTO call_references AS known (tenant_id, external_id, call_uuid, partition)
SELECT $1, $2, COALESCE(recorded.call_uuid, $3::uuid), COALESCE(recorded.partition, $4::int2) FROM (SELECT) AS one LEFT JOIN recorded ON true
ON CONFLICT (tenant_id, external_id) DO UPDATE SET external_id = known.external_id
RETURNING call_uuid, partition`;

/**
 * Gives a reference to the call, unless another call of the tenant has it: the first one keeps it. @returns the id of the call that has
 * it
 */
export async function claimReference(sql: Sql, { tenant_id, external_id, call_id }: CallReference): Promise<string> {
  const id = parseCallId(call_id);
  if (!id) throw new Error(`${call_id} is not the id of a call`);
  const params = [tenant_id, external_id, id.uuid, id.partition];
  const [row] = await sql.query<{ call_uuid: string; partition: number }>({ name: 'call_references_claim', text: CLAIM, params });
  if (!row) throw new Error('the claim of a reference returned no row');
  return callId(row.partition, row.call_uuid);
}
