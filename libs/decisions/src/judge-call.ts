import { type ApprovalMode, callError, type ErrorCode, effectRules, type ToolCall, type ToolContract } from '@countersign/contracts';
import {
  barredIdentities,
  type ConfigurationState,
  caseOf,
  catalogued,
  type Demand,
  type Judgement,
  limitsOf,
  partsRequested,
  SAGA_APPROVAL,
  stateOfVersion,
  suspension,
  tenantOf,
} from '@countersign/domain';
import { demandsOf, isSetUndo, type Limit, type LimitedCall } from '@countersign/policy';
import { barredFrom, evidenceOf } from './evidence.js';
import { answeredByGrants, grantableOf, grantsOn } from './grants.js';
import type { Judged } from './judged.js';
import { deniedBy } from './limit-ruling.js';
import { mayLackSagaGrant } from './saga-grants.js';
import { planRuling } from './saga-plan-ruling.js';
import { shortfallsOf } from './shortfalls.js';
import type { RemappedInputs, TenantRulings } from './tenant-rulings.js';

const NO_DEMANDS: readonly Demand[] = [];

function refused(
  config: ConfigurationState,
  call: ToolCall,
  code: ErrorCode,
  rule: string,
  message: string,
  unfamiliar: boolean,
  more: Record<string, unknown> = {},
): Judged {
  const mode: ApprovalMode = effectRules[call.effect_class].approval_mode;
  const judgement: Judgement = {
    effect: 'deny',
    tier: 'tier_3_blocked',
    approval_mode_effective: mode,
    rule,
    reason: callError(code, message, { details: { rule, ...more } }),
    approver_roles: [],
    quorum: 1,
    expires_after_ms: 0,
  };
  return {
    judgement,
    reversibility: 'irreversible',
    unfamiliar,
    config_offset: config.config_offset,
    key_holder: undefined,
    demands: NO_DEMANDS,
  };
}

/** The judgement on a call whose inputs the tenant's mapping cannot map: the inputs that would run are unknown. */
export function unmappable(config: ConfigurationState, call: ToolCall, mapping_version: number, issues: readonly MappingIssue[]): Judged {
  const [first] = issues;
  const message = `the inputs cannot be mapped: ${first?.path || 'the inputs'} ${first?.message ?? 'are refused'}`;
  const more = { layer: 'mapping', mapping_version, issues };
  return refused(config, call, 'VALIDATION_ERROR', 'mapping.refused', message, false, more);
}

/** Denies an allowed call that a rule would now require approval for, unless the rule allows approval at execution. */
export function refusedAtExecution(judged: Judged): Judged {
  const { judgement } = judged;
  if (judgement.effect !== 'require_approval' || judgement.asks_at_execution !== false) return judged;
  const { rule } = judgement;
  const reason = callError('POLICY_DENIED', `the policy became stricter before the call ran (rule ${rule})`, { details: { rule } });
  return { ...judged, judgement: { ...judgement, effect: 'deny', tier: 'tier_3_blocked', reason }, demands: NO_DEMANDS };
}

/** A value that a mapping could not map. `path`: a JSON Pointer into the inputs. */
export interface MappingIssue {
  path: string;
  message: string;
}

export interface CallToJudge {
  tenant_id: string;
  call: ToolCall;
  /** Append time of the request of the call. */
  at_ms: number;
  /** Deferring rules whose wait is over. */
  waited?: readonly string[];
  /** The call history that its rules may use; absent: no rule uses it, or it is unknown. */
  history_json?: string | undefined;
  /** See `RulingAsk`. */
  remapped?: RemappedInputs | undefined;
}

/** Judges a call. Never throws for a call that fits the type. */
export function judgeCall(rulings: TenantRulings, config: ConfigurationState, toJudge: CallToJudge): Judged {
  const { tenant_id, call, at_ms, waited = [], history_json, remapped } = toJudge;
  if (!tenantOf(config, tenant_id)) return refused(config, call, 'POLICY_DENIED', 'tenant.unknown', 'the tenant does not exist', true);
  const tool = catalogued(config, tenant_id, call.tool, call.version);
  if (!tool) return refused(config, call, 'VALIDATION_ERROR', 'tool.unknown', `no executor runs ${call.tool} ${call.version}`, true);
  if (tool.digest !== call.contract_digest || tool.contract.effect_class !== call.effect_class)
    return refused(
      config,
      call,
      'VALIDATION_ERROR',
      'tool.changed',
      `${call.tool} ${call.version} has another contract now than when the call was made`,
      true,
    );
  const set_undo = isSetUndo(call.compensates?.kind);
  if (!set_undo && call.case_id !== null && caseOf(config, tenant_id, call.case_id)?.state === 'closed')
    return refused(config, call, 'POLICY_DENIED', 'case.closed', 'the case is closed', false);
  if (stateOfVersion(config, tenant_id, tool) === 'suspended') {
    const why = `${call.tool} ${call.version} is suspended: ${suspension(config, tenant_id, tool)}`;
    return refused(config, call, 'VALIDATION_ERROR', 'contract.suspended', why, false);
  }
  const resolved = rulings.resolve(config, { tenant_id, tool, call, waited, history_json, remapped });
  const planned = call.tool === SAGA_APPROVAL.tool ? planRuling(rulings, config, toJudge, resolved) : undefined;
  const ruling = planned?.ruling ?? resolved;
  const { inputs_json, unmapped_json } = ruling;
  const mapped = inputs_json === undefined ? undefined : remapped?.mapped;
  const ruled = inputs_json === undefined ? call : { ...call, inputs_json, mapped: mapped ?? null };
  const given = answered(config, { ...toJudge, call: ruled }, tool.contract, ruling);
  const judgement = given?.judgement ?? ruling;
  const { reversibility } = tool.contract;
  const { config_offset } = config;
  const judged: Judged = {
    judgement,
    reversibility,
    unfamiliar: planned?.is_outdated ?? mayLackSagaGrant(config, tenant_id, call, judgement),
    config_offset,
    key_holder: undefined,
    demands: NO_DEMANDS,
    inputs_json,
    mapped,
    unmapped_json,
  };
  if (given) judged.ungranted = ruling;
  // A waiting call may need approval after its wait.
  if (ruling.effect === 'require_approval' || judgement.effect === 'defer') {
    judged.barred = barredFrom(config, tenant_id, call);
    judged.grantable = planned ? null : grantableOf(ruled, tool.contract);
    judged.shortfalls = shortfallsOf(config, tenant_id, partsRequested(ruling), { barred: barredIdentities(judged.barred, [call]), at_ms });
    const trust_score = rulings.trustScore(tenant_id, tool.contract, call.principal);
    judged.evidence = evidenceOf(tool.contract, { rule: judgement.rule, tier: judgement.tier, config_offset, trust_score });
  }
  return judgement.effect === 'deny' || set_undo
    ? judged
    : limited(judged, limitsOf(config, tenant_id), { tenant_id, call: ruled, contract: tool.contract, at_ms }, given?.uses);
}

/** The part of a ruling that grants for similar calls satisfy; undefined: none. */
function answered(
  config: ConfigurationState,
  { tenant_id, call, at_ms }: CallToJudge,
  contract: ToolContract,
  asking: Judgement,
): ReturnType<typeof answeredByGrants> {
  if (asking.effect !== 'require_approval' || isSetUndo(call.compensates?.kind)) return undefined;
  return answeredByGrants(tenant_id, asking, grantsOn(config, tenant_id, { call, contract, now_ms: at_ms }, asking));
}

/** Adds the tenant's limits to a judgement: a guard denies the call, or counters must be reserved. `uses`: demands on grants. */
function limited(judged: Judged, limits: readonly Limit[], on: LimitedCall, uses: readonly Demand[] = NO_DEMANDS): Judged {
  if (limits.length === 0 && on.call.run_id === null && on.call.context.run_budget === null)
    return uses.length === 0 ? judged : { ...judged, demands: uses };
  const demands = demandsOf(limits, on);
  if ('rule' in demands) return { ...judged, judgement: deniedBy(demands, judged.judgement) };
  return { ...judged, demands: uses.length === 0 ? demands : [...demands, ...uses] };
}
