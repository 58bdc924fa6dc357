import type { Issue } from '@countersign/calls';
import type { UpstreamAlias, UpstreamTie } from '@countersign/contracts';
import { type ConfigurationState, UPSTREAM_BOUNDS, upstreamsOf, upstreamToolsOf } from '@countersign/domain';

const fault = (code: string, message: string): Issue => ({ path: '/alias', code, message });

/** Why a tool of an upstream cannot have its alias; undefined: it can. */
export function aliasFault(
  state: ConfigurationState,
  tenant_id: string,
  { server, tool, alias }: UpstreamTie & { alias: UpstreamAlias },
): Issue | undefined {
  if (state.tools.has(alias.name) || state.by_tenant.get(tenant_id)?.tools?.has(alias.name))
    return fault('name_collision', `a registered tool has the name ${alias.name}`);
  const all = [...upstreamsOf(state, tenant_id).keys()].flatMap((upstream) => upstreamToolsOf(state, tenant_id, upstream));
  const others = all.filter((each) => each.is_classified && each.overlay.alias && !(each.upstream === server && each.tool === tool));
  if (others.some((each) => each.contract?.upstream?.alias?.name === alias.name))
    return fault('name_collision', `another tool has the alias ${alias.name}`);
  const max = UPSTREAM_BOUNDS.aliases_of_tenant;
  return others.length >= max ? fault('limit', `a tenant has at most ${max} aliases`) : undefined;
}
