import type { ApprovalEvidence, ToolCall, ToolContract } from '@countersign/contracts';
import { type ConfigurationState, keysOf } from '@countersign/domain';

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
  ruling: Pick<ApprovalEvidence, 'rule' | 'tier' | 'config_offset' | 'trust_score'>,
): Omit<ApprovalEvidence, 'bundle_version'> {
  return { ...ruling, ...undoOf(contract), similar: [] };
}

/** Who cannot approve a call besides its principal: the owner of its agent, and the user that the agent acts for. */
export function barredFrom(config: ConfigurationState, tenant_id: string, { principal, authority }: ToolCall): string[] {
  const barred = new Set<string>();
  for (const key of keysOf(config, tenant_id)) if (key.owner !== null && key.principal.id === principal.id) barred.add(key.owner);
  if (authority?.on_behalf_of) barred.add(authority.on_behalf_of.id);
  return [...barred];
}
