import type { EventMap } from '@countersign/contracts';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setOverride(state: ConfigurationState, event: EventMap['tool_policy_set']): void {
  const { overrides } = tenantPart(state, event.meta.tenant_id);
  const { tool, tier, rule_id, approver_roles, quorum, expires_after_ms, changed_at_ms, requirement } = event;
  if (tier === null) overrides.delete(tool);
  else overrides.set(tool, { tool, tier, rule_id, approver_roles, quorum, expires_after_ms, changed_at_ms, requirement });
}
