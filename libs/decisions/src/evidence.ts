import type { ApprovalEvidence, ToolCall, ToolContract } from '@countersign/contracts';
import { type ConfigurationState, keysOf } from '@countersign/domain';

/** For effects that the tool can undo: an operator calls `POST /v1/calls/{call_id}/undo`. */
const BY_UNDO = 'An operator can undo it unless a later effect prevents that.';
/** For effects that the tool cannot undo: the platform does nothing. */
const BY_HAND = 'Countersign does not do this automatically: a person must start it.';

/** The information for approvers about undoing an effect: what the tool can do, and who must start it. */
export function undoOf({ name, reversibility, has_compensate }: ToolContract): Pick<ApprovalEvidence, 'undo_tool' | 'undo'> {
  const undo_tool = has_compensate ? name : null;
  switch (reversibility) {
    case 'reversible':
      return {
        undo_tool,
        undo: has_compensate
          ? `${name} can restore the state before. ${BY_UNDO}`
          : `${name} declares that another call can reverse it. ${BY_HAND}`,
      };
    case 'semantic':
      return {
        undo_tool,
        undo: has_compensate
          ? `${name} can make an opposite effect; both stay on record. ${BY_UNDO}`
          : `${name} declares that only an opposite effect compensates for it. ${BY_HAND}`,
      };
    case 'side_effects':
      return {
        undo_tool,
        undo: has_compensate
          ? `${name} can take the effect back, but not what others did because of it. ${BY_UNDO}`
          : `${name} declares that the effect can be taken back, but not what others did because of it. ${BY_HAND}`,
      };
    case 'irreversible':
      return { undo_tool: null, undo: 'it cannot be undone' };
  }
}

/** The frozen evidence of a request, without the results of similar calls. */
export function evidenceOf(
  contract: ToolContract,
  ruling: Pick<ApprovalEvidence, 'rule' | 'tier' | 'config_offset' | 'trust_score'>,
): Omit<ApprovalEvidence, 'bundle_version'> {
  return { ...ruling, ...undoOf(contract), similar: [] };
}

/** The principals that cannot approve a call, besides its requester: the owner of its agent, and the user that the agent acts for. */
export function barredFrom(config: ConfigurationState, tenant_id: string, { principal, authority }: ToolCall): string[] {
  const barred = new Set<string>();
  for (const key of keysOf(config, tenant_id)) if (key.owner !== null && key.principal.id === principal.id) barred.add(key.owner);
  if (authority?.on_behalf_of) barred.add(authority.on_behalf_of.id);
  return [...barred];
}
