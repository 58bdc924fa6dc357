import { isReadOnly } from '@countersign/contracts';
import type { TenantToolVersion } from '../../configuration/queries.js';
import type { KnownTool } from './faults.js';

const USABLE: ReadonlySet<string> = new Set(['active', 'deprecated']);

/** A tool version of a tenant as the checks of a definition use it. */
export function knownTool({ tool, lifecycle }: TenantToolVersion): KnownTool {
  const { name, version, input_schema, output_schema, effect_class, reversibility, has_compensate, sla } = tool.contract;
  return {
    ...{ name, version, input_schema, output_schema, reversibility, has_compensate },
    state: USABLE.has(lifecycle) ? (lifecycle as 'active' | 'deprecated') : 'blocked',
    is_write: !isReadOnly(effect_class),
    latency_p99_ms: sla?.p99_ms ?? null,
  };
}
