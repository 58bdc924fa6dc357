import {
  type ApprovalMode,
  callError,
  type ErrorCode,
  effectRules,
  type LimitReservation,
  type Reversibility,
  type ToolCall,
} from '@countersign/contracts';
import {
  type ConfigurationState,
  caseOf,
  catalogued,
  type Demand,
  type Judgement,
  type KeyHolder,
  limitsOf,
  overrideFor,
  stateOfVersion,
  suspension,
  tenantOf,
} from '@countersign/domain';
import { demandsOf, guardCall, type Limit, type LimitedCall, resolveRuling } from '@countersign/policy';
import { deniedBy } from '../limits/limit-ruling.js';

/** What the tenant's policy says about a call by itself, before keys and questions in progress. */
export interface Judged {
  judgement: Judgement;
  reversibility: Reversibility;
  /** The call does not fit the configuration that this process knows; it may be behind the one that admitted the call. */
  unfamiliar: boolean;
  /** Position in configuration-changed that it was judged at. */
  config_offset: number;
  /** Looked up later, and only where people would be asked. */
  key_holder: KeyHolder | undefined;
  /** What it needs of the counters of limits; most calls need nothing. */
  demands: readonly Demand[];
  /** What it got of them. */
  reservations?: readonly LimitReservation[];
}

const NO_DEMANDS: readonly Demand[] = [];

function refused(config: ConfigurationState, call: ToolCall, code: ErrorCode, rule: string, message: string, unfamiliar: boolean): Judged {
  const mode: ApprovalMode = effectRules[call.effect_class].approval_mode;
  const judgement: Judgement = {
    effect: 'deny',
    tier: 'tier_3_blocked',
    approval_mode_effective: mode,
    rule,
    reason: callError(code, message, { details: { rule } }),
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

/** Never throws for a call that the contract's types describe. */
export function judgeCall(config: ConfigurationState, tenant_id: string, call: ToolCall, at_ms: number): Judged {
  if (!tenantOf(config, tenant_id)) return refused(config, call, 'POLICY_DENIED', 'tenant.unknown', 'there is no such tenant', true);
  const tool = catalogued(config, call.tool, call.version);
  if (!tool) return refused(config, call, 'VALIDATION_ERROR', 'tool.unknown', `no executor runs ${call.tool} ${call.version}`, true);
  if (tool.digest !== call.contract_digest || tool.contract.effect_class !== call.effect_class)
    return refused(
      config,
      call,
      'VALIDATION_ERROR',
      'tool.changed',
      `${call.tool} ${call.version} has another contract than it was called by`,
      true,
    );
  if (call.case_id !== null && caseOf(config, tenant_id, call.case_id)?.state === 'closed')
    return refused(config, call, 'POLICY_DENIED', 'case.closed', 'the case is closed', false);
  const lifecycle = stateOfVersion(config, tenant_id, tool);
  if (lifecycle === 'suspended') {
    const why = `${call.tool} ${call.version} is suspended: ${suspension(config, tenant_id, tool)}`;
    return refused(config, call, 'VALIDATION_ERROR', 'contract.suspended', why, false);
  }
  const judgement: Judgement = resolveRuling({
    contract: tool.contract,
    override: overrideFor(config, tenant_id, call.tool),
    lifecycle,
    context: call.context,
    principal: call.principal,
    authority: call.authority,
  });
  const { reversibility } = tool.contract;
  const { config_offset } = config;
  const judged: Judged = { judgement, reversibility, unfamiliar: false, config_offset, key_holder: undefined, demands: NO_DEMANDS };
  return judgement.effect === 'deny'
    ? judged
    : limited(judged, limitsOf(config, tenant_id), { tenant_id, call, contract: tool.contract, at_ms });
}

/** The same, with what the tenant's limits say: a guard forbids it, or counters are asked. */
function limited(judged: Judged, limits: readonly Limit[], on: LimitedCall): Judged {
  if (limits.length === 0 && on.call.run_id === null && on.call.context.run_budget === null) return judged;
  const guard = guardCall(limits, on);
  const demands = guard ?? demandsOf(limits, on);
  if ('rule' in demands) return { ...judged, judgement: deniedBy(demands, judged.judgement) };
  return { ...judged, demands };
}
