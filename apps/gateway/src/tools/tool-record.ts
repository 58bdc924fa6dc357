import { approvalMode, defaultTier, effectRules, type ToolContract } from '@countersign/contracts';
import {
  type ConfigurationState,
  type Evaluation,
  evaluationOf,
  lifecycleEntry,
  overrideFor,
  passes,
  promotionFault,
  type RefusedRegistration,
  suspension,
  type TenantToolVersion,
  type ToolVersion,
  toolVersions,
  versionKey,
} from '@countersign/domain';
import type { Measured } from '../trust/trust-reader.js';

const time = (ms: number | null | undefined): string | null => (ms === null || ms === undefined ? null : new Date(ms).toISOString());

/** The release state of a version and its evidence. */
function releaseOf(state: ConfigurationState, tenantId: string, { tool, lifecycle }: TenantToolVersion): Record<string, unknown> {
  const entry = lifecycleEntry(state.by_tenant.get(tenantId), tool.name, tool.version);
  const evaluation = evaluationOf(state, tenantId, tool);
  const deprecated_at = time(entry?.changed_at_ms);
  return {
    gate: !tool.gated ? 'none' : passes(evaluation, tool) ? 'passed' : evaluation ? 'failed' : 'absent',
    gate_reason: promotionFault(state, tenantId, tool) ?? null,
    drift: suspension(state, tenantId, tool) ?? 'ok',
    deprecation: lifecycle === 'deprecated' ? { deprecated_at, since: deprecated_at, reason: entry?.reason ?? null } : null,
    sunset_at: time(entry?.sunset_at_ms),
    use_instead: entry?.use_instead ?? null,
  };
}

function evaluationRecord(state: ConfigurationState, tenantId: string, tool: ToolVersion): Record<string, unknown> {
  const evaluation = evaluationOf(state, tenantId, tool);
  return {
    id: `pack.tool.${tool.name}.${tool.version}`,
    result: evaluation && { ...evaluation, of_this_contract: evaluation.contract_digest === tool.digest },
  };
}

/** Where a tool of an upstream comes from. How its effects are found and undone is for operators. */
function upstreamRecord({ upstream }: ToolContract): Record<string, unknown> | null {
  if (!upstream) return null;
  const { server, tool, flags = [], key_input, alias = null } = upstream;
  return { server, tool, flags, has_key: key_input !== undefined, alias };
}

/** Returns the measured values of a version. */
export type MeasuredOf = (tool: string, version: string) => Measured;

/** Until the views have it: the passed evaluation of the current contract. */
function verifiedBy(evaluation: Evaluation | null, tool: ToolVersion): number | null {
  return evaluation && passes(evaluation, tool) ? Date.parse(evaluation.verified_at) : null;
}

/** The registry's record of a version as its tenant sees it. Undeclared or unmeasured values are null. */
export function versionRecord(
  state: ConfigurationState,
  tenantId: string,
  version: TenantToolVersion,
  measured: MeasuredOf,
): Record<string, unknown> {
  const { tool, lifecycle } = version;
  const { contract, digest, pin, runs_on } = tool;
  const rule = effectRules[contract.effect_class];
  const { rating, trust_score, usage, verified_at_ms, circuit } = measured(tool.name, tool.version);
  const last_verified_at = time(verified_at_ms ?? verifiedBy(evaluationOf(state, tenantId, tool), tool));
  const audit = state.by_tenant.get(tenantId)?.audits.get(versionKey(tool.name, tool.version));
  return {
    ...contract,
    id: `tool.${runs_on.adapter === '' ? 'local' : runs_on.adapter}.${contract.name}`,
    lifecycle,
    digest,
    pin,
    side_effects: rule.side_effects,
    approval_mode: approvalMode(contract),
    default_tier: defaultTier(contract),
    mcp: rule.mcp,
    pattern: contract.pattern ?? null,
    ontology_pin: contract.ontology_pin ?? null,
    purposes: contract.purposes ?? [],
    capabilities: contract.capabilities ?? [],
    resources: contract.resources ?? [],
    sla: contract.sla ?? null,
    accuracy: contract.accuracy ?? null,
    cache: contract.cache ?? { kind: 'none' },
    cost_per_call: contract.cost_per_call ?? null,
    provider: contract.provider ?? null,
    protocol: contract.protocol ?? 'in_process',
    endpoint: contract.endpoint ?? null,
    upstream: upstreamRecord(contract),
    auth_requirements: contract.auth_requirements ?? [],
    audit_status: contract.audit_status ?? 0,
    audit: audit ? { ...audit, changed_at_ms: undefined, changed_at: time(audit.changed_at_ms) } : null,
    compatibility: contract.compatibility ?? [],
    signature: { input: contract.input_schema, output: contract.output_schema },
    eval_pack: evaluationRecord(state, tenantId, tool),
    release: releaseOf(state, tenantId, version),
    last_verified_at,
    last_verified: last_verified_at,
    runs_on,
    executor_id: tool.executor_id,
    registered_at: time(tool.registered_at_ms),
    rating: rating && { ...rating, normalised: rating.mean / 5 },
    trust_score,
    usage,
    circuit,
  };
}

function refusedRegistration({ refused_at_ms, tenant_id: _owner, ...refused }: RefusedRegistration): Record<string, unknown> {
  return { ...refused, refused_at: time(refused_at_ms) };
}

/** Refused registrations of a name in the tenant's lane, oldest first. */
function refusedOf(state: ConfigurationState, tenantId: string, name: string): Record<string, unknown>[] {
  const lane = state.tenants.get(tenantId)?.lane;
  const all = [...state.refused.values()].filter(
    (refused) =>
      [tenantId, null].includes(refused.tenant_id) && refused.name === name && lane !== undefined && refused.lanes.includes(lane),
  );
  return all.map(refusedRegistration);
}

/** A tool with these versions; undefined if there are none. */
export function toolRecord(
  state: ConfigurationState,
  tenantId: string,
  name: string,
  measured: MeasuredOf,
  shown: (version: TenantToolVersion) => boolean = () => true,
): Record<string, unknown> | undefined {
  const versions = toolVersions(state, tenantId, name).filter(shown);
  const newest = versions.find(({ lifecycle }) => lifecycle === 'active') ?? versions[0];
  if (!newest) return undefined;
  const { contract } = newest.tool;
  const records = versions.map((version) => versionRecord(state, tenantId, version, measured));
  const { trust_score } = records[versions.indexOf(newest)] as Record<string, unknown>;
  return {
    name,
    title: contract.title,
    description: contract.description,
    version: newest.tool.version,
    tier: overrideFor(state, tenantId, name)?.tier ?? defaultTier(contract),
    effect_class: contract.effect_class,
    lifecycle: newest.lifecycle,
    trust_score,
    versions: records,
    refused_registrations: refusedOf(state, tenantId, name),
  };
}
