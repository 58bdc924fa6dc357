import { parseCallId } from '@countersign/contracts';
import type { Row, Sql } from '../store.js';
import { effectStatuses } from './call-tables.js';
import { readable } from './state-schemas.js';

/** A call that had, or may have had, an effect. */
export interface EarlierEffect extends Row {
  requested_at_ms: number;
  /** Packed (`unpackCall`). */
  state: Buffer;
}

export interface EarlierEffectsQuery {
  tenant_id: string;
  tool: string;
  /** Excluded; epoch ms. */
  before_ms: number;
  /** The call that asks is not one of them. */
  own_call_id: string;
  limit: number;
}

/** The newest calls of a tool in a tenant that had, or may have had, an effect, newest first. One range of an index. */
export async function earlierEffects(sql: Sql, query: EarlierEffectsQuery): Promise<readonly EarlierEffect[]> {
  const { tenant_id, tool, before_ms, own_call_id, limit } = query;
  const rows = await sql.query<EarlierEffect>({
    name: 'views_earlier_effects',
    text: `SELECT requested_at_ms, state FROM calls
           WHERE tenant_id = $1 AND tool = $2 AND requested_at_ms < $3 AND requested_at_ms > 0 AND status IN (${effectStatuses})
             AND call_uuid IS DISTINCT FROM $4::uuid
           ORDER BY requested_at_ms DESC LIMIT $5`,
    params: [tenant_id, tool, before_ms, parseCallId(own_call_id)?.uuid ?? null, limit],
  });
  return readable(sql, rows);
}
