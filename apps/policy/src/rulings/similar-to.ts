import { callId, type SimilarCall, type ToolCall } from '@countersign/contracts';
import { unpackCall } from '@countersign/domain';
import { type SimilarRow, type Sql, similarCalls } from '@countersign/store';

const SIMILAR_MAX = 5;

/**
 * The newest calls of the same tool that needed approval; empty if the views are unavailable, because evidence does not affect the
 * decision.
 */
export async function similarTo(sql: Sql, tenant_id: string, call: ToolCall, before_ms: number): Promise<SimilarCall[]> {
  let rows: readonly SimilarRow[];
  try {
    rows = await similarCalls(sql, { tenant_id, tool: call.tool, before_ms, limit: SIMILAR_MAX });
  } catch {
    return [];
  }
  return rows.map(({ partition, call_uuid, status, requested_at_ms, state }) => {
    const { call: known } = unpackCall(state);
    return { call_id: callId(partition, call_uuid), status, same_inputs: hasSameInputs(known, call), requested_at_ms };
  });
}

/** True if both calls have the same inputs. Encrypted inputs differ each time; the digest for their key does not. */
function hasSameInputs(known: ToolCall | null, call: ToolCall): boolean {
  if (!known) return false;
  return call.sealed ? known.discriminating_digest === call.discriminating_digest : known.inputs_digest === call.inputs_digest;
}
