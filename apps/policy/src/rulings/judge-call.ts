import { type ApprovalMode, callError, type ErrorCode, effectRules, type Reversibility, type ToolCall } from '@countersign/contracts';
import {
  type ConfigurationState,
  caseOf,
  catalogued,
  type Judgement,
  type KeyHolder,
  lifecycleOf,
  overrideFor,
  tenantOf,
} from '@countersign/domain';
import { resolveRuling } from '@countersign/policy';

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
}

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
  return { judgement, reversibility: 'irreversible', unfamiliar, config_offset: config.config_offset, key_holder: undefined };
}

/** Never throws for a call that the contract's types describe. */
export function judgeCall(config: ConfigurationState, tenant_id: string, call: ToolCall): Judged {
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
  const judgement = resolveRuling({
    contract: tool.contract,
    override: overrideFor(config, tenant_id, call.tool),
    lifecycle: lifecycleOf(config, tenant_id, call.tool, call.version),
    context: call.context,
    principal: call.principal,
  });
  const { reversibility } = tool.contract;
  return { judgement, reversibility, unfamiliar: false, config_offset: config.config_offset, key_holder: undefined };
}
