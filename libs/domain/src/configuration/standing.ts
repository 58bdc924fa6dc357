import type { VersionState } from '@countersign/contracts';
import { type Evaluation, type LifecycleEntry, passes, versionKey } from '../registry/record.js';
import { upstreamToolNamed } from './kinds/upstreams.js';
import type { ConfigurationState, TenantConfiguration } from './state/configuration.js';
import type { ToolVersion } from './state/tools.js';

/** Why a version is suspended, as text for people; undefined if it is not. */
export function suspension(state: ConfigurationState, tenant_id: string, tool: ToolVersion): string | undefined {
  const part = state.by_tenant.get(tenant_id);
  const agreed = part && part.pins.size > 0 ? (part.pins.get(versionKey(tool.name, tool.version)) ?? tool.first_pin) : tool.first_pin;
  if (tool.pin !== agreed) return 'its contract is not the one that callers agreed to';
  const fault = tool.contract.upstream && offUpstream(part, tool, tool.contract.upstream.server);
  if (fault !== undefined) return fault;
  return state.adapter_pins.size === 0 ? undefined : offPin(state, tool);
}

/** Why a version of an upstream's tool does not run; undefined: it is the one that stands. */
function offUpstream(part: TenantConfiguration | undefined, { name, version }: ToolVersion, server: string): string | undefined {
  const stands = upstreamToolNamed(part, server, name);
  if (!stands) return `its upstream ${server} has no tool of this name`;
  if (stands.version !== version) return `${stands.version} is the version of this upstream tool that counts`;
  return stands.state === 'suspended' || stands.state === 'gone' ? stands.why : undefined;
}

function offPin(state: ConfigurationState, { runs_on }: ToolVersion): string | undefined {
  const { environment, adapter, adapter_version, protocol_version } = runs_on;
  const pin = state.adapter_pins.get(`${environment}/${adapter}`);
  if (!pin) return undefined;
  if (pin.adapter_version !== null && pin.adapter_version !== adapter_version)
    return `it runs on ${adapter} ${adapter_version} where ${environment} is pinned to ${pin.adapter_version}`;
  if (pin.protocol_version !== null && pin.protocol_version !== protocol_version)
    return `it uses protocol version ${protocol_version ?? 'none'} where ${environment} is pinned to ${pin.protocol_version}`;
  return undefined;
}

/** The tenant's lifecycle decision on a version, if any. */
export function lifecycleEntry(part: TenantConfiguration | undefined, name: string, version: string): LifecycleEntry | undefined {
  return part?.lifecycles.get(name)?.get(version);
}

/**
 * The state of a version for a tenant. Precedence: blocked; then suspended, if the contract drifted or its adapter is not the pinned one;
 * then the recorded decision. A gated version without a decision is a candidate until it ships with a passed evaluation.
 */
export function stateOfVersion(state: ConfigurationState, tenant_id: string, tool: ToolVersion): VersionState {
  const decided = lifecycleEntry(state.by_tenant.get(tenant_id), tool.name, tool.version)?.state;
  if (decided === 'blocked') return 'blocked';
  if (suspension(state, tenant_id, tool) !== undefined) return 'suspended';
  if (decided !== undefined) return decided;
  return tool.gated && !passes(tool.evaluation, tool) ? 'candidate' : 'active';
}

/** The evaluation of the current contract: the one recorded in the tenant, else the one that the version ships with. */
export function evaluationOf(state: ConfigurationState, tenant_id: string, tool: ToolVersion): Evaluation | null {
  const recorded = state.by_tenant.get(tenant_id)?.evaluations.get(versionKey(tool.name, tool.version));
  return recorded?.contract_digest === tool.digest ? recorded : tool.evaluation;
}

/** Why a version may not be promoted (made active or deprecated, so that it runs); undefined if it may. */
export function promotionFault(state: ConfigurationState, tenant_id: string, tool: ToolVersion): string | undefined {
  if (!tool.gated || passes(evaluationOf(state, tenant_id, tool), tool)) return undefined;
  const evaluation = evaluationOf(state, tenant_id, tool);
  if (!evaluation) return 'it has no evaluation: run npm run tools:verify and record its result';
  if (evaluation.contract_digest !== tool.digest) return 'its evaluation is of a contract other than the registered one';
  return `its evaluation failed: ${evaluation.failed} of ${evaluation.failed + evaluation.passed} cases`;
}

/** The notice to callers of a deprecated version. */
export function deprecationNotice(name: string, version: string, entry: LifecycleEntry): string {
  const ends = entry.sunset_at_ms === null ? '' : ` and ends on ${new Date(entry.sunset_at_ms).toISOString()}`;
  const why = entry.reason === null ? '' : ` (${entry.reason})`;
  return `${name}@${version} is deprecated${ends}${entry.use_instead === null ? '' : `; use ${entry.use_instead}`}${why}`;
}
