import { isReadOnly } from '@countersign/contracts';
import { type ConfigurationState, type KnownTool, type TenantToolVersion, toolNames, toolVersions } from '@countersign/domain';

const RUNS: ReadonlySet<string> = new Set(['active', 'deprecated']);

function knownTool({ tool, lifecycle }: TenantToolVersion): KnownTool {
  const { name, version, input_schema, output_schema, effect_class, reversibility, has_compensate, sla } = tool.contract;
  return {
    ...{ name, version, input_schema, output_schema, reversibility, has_compensate },
    state: RUNS.has(lifecycle) ? (lifecycle as 'active' | 'deprecated') : 'blocked',
    is_write: !isReadOnly(effect_class),
    latency_p99_ms: sla?.p99_ms ?? null,
  };
}

/** Every version of every tool that the tenant may call, as the check of a definition knows it. */
export function tenantTools(state: ConfigurationState, tenant_id: string): KnownTool[] {
  return toolNames(state, tenant_id).flatMap((name) => toolVersions(state, tenant_id, name).map(knownTool));
}
