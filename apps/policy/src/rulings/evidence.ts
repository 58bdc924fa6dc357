import { type ApprovalEvidence, callId, type SimilarCall, type ToolCall, type ToolContract } from '@countersign/contracts';
import { type CallState, type ConfigurationState, keysOf } from '@countersign/domain';
import { type Row, type Sql, similarCalls } from '@countersign/store';

/** What approvers are shown of the undo of an effect. */
function undoOf({ name, reversibility, has_compensate }: ToolContract): Pick<ApprovalEvidence, 'undo_tool' | 'undo'> {
  const undo_tool = has_compensate ? name : null;
  switch (reversibility) {
    case 'reversible':
      return {
        undo_tool,
        undo: has_compensate ? `${name} compensates itself: the state before is restored` : 'can be reversed by another call',
      };
    case 'semantic':
      return {
        undo_tool,
        undo: has_compensate ? `${name} compensates with an opposite effect; both stay on record` : 'only an opposite effect',
      };
    case 'side_effects':
      return { undo_tool, undo: 'the effect can be taken back, what others did because of it cannot' };
    case 'irreversible':
      return { undo_tool: null, undo: 'nothing undoes it' };
  }
}

/** The frozen evidence of a request, but for what happened to calls like it. */
export function evidenceOf(
  contract: ToolContract,
  ruling: Pick<ApprovalEvidence, 'rule' | 'tier' | 'config_offset'>,
): Omit<ApprovalEvidence, 'bundle_version'> {
  return { ...ruling, ...undoOf(contract), trust_score: null, similar: [] };
}

/** Who cannot approve a call besides its principal: the owner of its agent, and the user that the agent acts for. */
export function barredFrom(config: ConfigurationState, tenant_id: string, { principal, authority }: ToolCall): string[] {
  const barred = new Set<string>();
  for (const key of keysOf(config, tenant_id)) if (key.owner !== null && key.principal.id === principal.id) barred.add(key.owner);
  if (authority?.on_behalf_of) barred.add(authority.on_behalf_of.id);
  return [...barred];
}

const SIMILAR_MAX = 5;

/** The newest calls of the same tool that people were asked about; empty where the views are away: evidence is no condition. */
export async function similarTo(sql: Sql, tenant_id: string, call: ToolCall, before_ms: number): Promise<SimilarCall[]> {
  let rows: (Row & { partition: number; call_uuid: string; status: string; requested_at_ms: number; state: string })[];
  try {
    rows = await similarCalls(sql, { tenant_id, tool: call.tool, before_ms, limit: SIMILAR_MAX });
  } catch {
    return [];
  }
  return rows.map(({ partition, call_uuid, status, requested_at_ms, state }) => {
    const { call: known } = JSON.parse(state) as CallState;
    return { call_id: callId(partition, call_uuid), status, same_inputs: known?.inputs_digest === call.inputs_digest, requested_at_ms };
  });
}
