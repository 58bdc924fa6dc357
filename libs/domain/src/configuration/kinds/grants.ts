import type { EventMap, GrantSet, SimilarGrant, ToolCall } from '@countersign/contracts';
import { covers } from '../../approval/similar.js';
import { type ConfigurationState, tenantPart } from '../state.js';

/** 'Approve similar' as it stands in the configuration; one that was revoked is kept, so that it does not come again. */
export type KeptGrant = Pick<GrantSet, 'grant' | 'revoked' | 'by' | 'changed_at_ms'>;

export function setGrant(state: ConfigurationState, { meta, grant, revoked, by, changed_at_ms }: EventMap['grant_set']): void {
  const { grants } = tenantPart(state, meta.tenant_id);
  if (grants.get(grant.grant_id)?.revoked && !revoked) return;
  grants.set(grant.grant_id, { grant, revoked, by, changed_at_ms });
}

/** The grant that answers the question of this rule about a call, if there is one now. */
export function grantFor(
  state: ConfigurationState,
  tenant_id: string,
  ask: { call: ToolCall; rule: string; now_ms: number },
): SimilarGrant | undefined {
  const grants = state.by_tenant.get(tenant_id)?.grants;
  if (!grants || grants.size === 0) return undefined;
  for (const { grant, revoked } of grants.values()) if (!revoked && covers(grant, ask.call, ask.rule, ask.now_ms)) return grant;
  return undefined;
}
