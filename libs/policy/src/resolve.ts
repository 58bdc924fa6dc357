import {
  type ApprovalMode,
  type ApprovalRequirement,
  approvalMode,
  type CallError,
  callError,
  defaultTier,
  type Principal,
  type RulingEffect,
  strictness,
  type Tier,
} from '@countersign/contracts';
import { conditions } from './conditions/index.js';
import type { RulingInput } from './ruling-input.js';

/** How long a request for approval stays open where no policy says otherwise: 24 h. */
export const APPROVAL_EXPIRES_AFTER_MS = 24 * 3_600_000;

export interface ResolvedRuling {
  effect: Exclude<RulingEffect, 'defer'>;
  tier: Tier;
  approval_mode_effective: ApprovalMode;
  /** Id of the rule that won. */
  rule: string;
  /** Only where the effect is deny. */
  reason: CallError | null;
  /** Roles that may vote; never empty. Of no meaning but for require_approval, as the next two. */
  approver_roles: readonly string[];
  quorum: number;
  expires_after_ms: number;
  /** All that the policy asks of its approvers; null: the three above are all. */
  requirement: ApprovalRequirement | null;
}

const APPROVERS: readonly string[] = ['approver'];
const SAFETY_MODES: readonly string[] = ['normal', 'read_only', 'ask_all'];

function denied(rule: string, message: string, mode: ApprovalMode): ResolvedRuling {
  return {
    effect: 'deny',
    tier: 'tier_3_blocked',
    approval_mode_effective: mode,
    rule,
    reason: callError('POLICY_DENIED', message, { details: { rule } }),
    approver_roles: APPROVERS,
    quorum: 1,
    expires_after_ms: APPROVAL_EXPIRES_AFTER_MS,
    requirement: null,
  };
}

function tierOf(input: RulingInput): { tier: Tier; rule: string } {
  const { contract, override } = input;
  if (override?.tier) return { tier: override.tier, rule: override.rule_id };
  const tier = defaultTier(contract);
  return { tier, rule: tier === contract.tier ? 'default.contract_tier' : `default.${contract.effect_class}` };
}

interface Standing {
  tier: Tier;
  rule: string;
  why: string | undefined;
}

/** The strictest of the tier and what the conditions ask for; among equals the first. */
function tightened(input: RulingInput): Standing {
  let standing: Standing = { ...tierOf(input), why: undefined };
  for (const { rule, judge } of conditions) {
    const asked = judge(input);
    if (asked && strictness(asked.tier) > strictness(standing.tier)) standing = { tier: asked.tier, rule, why: asked.why };
  }
  return standing;
}

function isPrincipal(value: Principal): boolean {
  return typeof value.id === 'string' && value.id !== '' && Array.isArray(value.roles);
}

function judge(input: RulingInput): ResolvedRuling {
  const { contract, override, context } = input;
  const mode = approvalMode(contract);
  if (!isPrincipal(input.principal)) return denied('policy.malformed', 'the call names no principal', mode);
  const safetyMode = context.safety_mode ?? 'normal';
  const { tier, rule, why } = tightened(input);
  const order = strictness(tier);
  if (order < 0 || typeof rule !== 'string' || !SAFETY_MODES.includes(safetyMode))
    return denied('policy.malformed', 'the policy or the safety mode of this call cannot be read', mode);
  if (tier === 'tier_3_blocked') return denied(rule, why ?? `policy blocks ${contract.name} (rule ${rule})`, mode);
  const expiry = override?.expires_after_ms ?? 0;
  return {
    effect: tier === 'tier_2_approval_required' ? 'require_approval' : 'allow',
    tier,
    approval_mode_effective: mode,
    rule,
    reason: null,
    approver_roles: override && override.approver_roles.length > 0 ? override.approver_roles : APPROVERS,
    quorum: Math.max(1, Math.floor(override?.requirement?.quorum ?? override?.quorum ?? 1) || 1),
    expires_after_ms: expiry > 0 ? expiry : APPROVAL_EXPIRES_AFTER_MS,
    requirement: override?.requirement ?? null,
  };
}

/**
 * The ruling on one call (DESIGN section 4): the tier of the effect class, or the contract's own where that is stricter;
 * the tenant's override instead of it; then the call's context, which only tightens. Pure and total: it never throws, and
 * whatever it cannot read is denied with a reason. Used by policy, and by the executor to judge again before it fires.
 */
export function resolveRuling(input: RulingInput): ResolvedRuling {
  try {
    return judge(input);
  } catch {
    return denied('policy.malformed', 'the call, its contract or its policy cannot be read', 'destructive');
  }
}

/**
 * Whether a ruling made now forbids what an earlier one allowed: a denial, or more approvals than were given.
 * `approvals`: distinct people who approved the call, 0 where nobody was asked.
 */
export function isStricter(now: Pick<ResolvedRuling, 'effect' | 'quorum'>, approvals: number): boolean {
  return now.effect === 'deny' || (now.effect === 'require_approval' && approvals < now.quorum);
}
