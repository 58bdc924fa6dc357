import { type ApprovalRequirement, defaultTier, strictness, type Tier } from '@countersign/contracts';
import type { CompiledRule } from './bundle/compiled-rule.js';
import { conditions } from './conditions/index.js';
import type { RulingInput } from './ruling-input.js';
import type { Weighed } from './weigh.js';

/** How long a request for approval stays open where no policy says otherwise: 24 h. */
const APPROVAL_EXPIRES_AFTER_MS = 24 * 3_600_000;
const APPROVERS: readonly string[] = ['approver'];

/** Where a call stands, and by whose word. */
export interface Standing {
  tier: Tier;
  rule: string;
  why: string | undefined;
  /** The rule of the bundle that made it so. */
  by: CompiledRule | undefined;
}

/** The tier where no rule of a bundle speaks: the tenant's row for the tool, else the contract's. */
function baseTier({ contract, override }: RulingInput): Standing {
  const spoken = { why: undefined, by: undefined };
  if (override?.tier) return { tier: override.tier, rule: override.rule_id, ...spoken };
  const tier = defaultTier(contract);
  return { tier, rule: tier === contract.tier ? 'default.contract_tier' : `default.${contract.effect_class}`, ...spoken };
}

const isAutomatic = (tier: Tier): boolean => tier === 'tier_0_safe' || tier === 'tier_1_auto';

/** What a rule makes of a tier; a tool that the tenant's row blocks stays blocked. */
function ruled(base: Standing, by: CompiledRule | undefined, errors: Weighed['errors']): Standing {
  if (!by || by.effect === 'defer' || base.tier === 'tier_3_blocked') return base;
  const error = errors.find(({ rule }) => rule === by.id)?.why;
  const why = error === undefined ? undefined : `rule ${by.id} cannot be told: ${error}`;
  if (by.effect === 'deny') return { tier: 'tier_3_blocked', rule: by.id, why: why ?? (by.description || undefined), by };
  if (by.effect === 'require_approval') return { tier: 'tier_2_approval_required', rule: by.id, why, by };
  return { tier: isAutomatic(base.tier) ? base.tier : 'tier_1_auto', rule: by.id, why: undefined, by };
}

/**
 * The tier of a call: what the strongest rule that applies says, else the tenant's row, else the default; then the
 * conditions that every call is judged by, which only tighten (among equals the first).
 */
export function standingOf(input: RulingInput, { matched, errors }: Weighed): Standing {
  let standing = ruled(
    baseTier(input),
    matched.find(({ effect }) => effect !== 'defer'),
    errors,
  );
  for (const { rule, judge } of conditions) {
    const asked = judge(input);
    if (asked && strictness(asked.tier) > strictness(standing.tier)) standing = { tier: asked.tier, rule, why: asked.why, by: undefined };
  }
  return standing;
}

/** The people to ask. */
export interface Approvers {
  /** Roles that may vote. */
  approver_roles: readonly string[];
  quorum: number;
  expires_after_ms: number;
  /** All that the policy asks of its approvers; null: the three above are all. */
  requirement: ApprovalRequirement | null;
}

export const ANY_APPROVER: Approvers = {
  approver_roles: APPROVERS,
  quorum: 1,
  expires_after_ms: APPROVAL_EXPIRES_AFTER_MS,
  requirement: null,
};

/** Those of the rule that asks, else those of the tenant's row, else any approver for a day. */
export function approversOf({ by }: Standing, override: RulingInput['override']): Approvers {
  const requirement = (by ? by.approval : override?.requirement) ?? null;
  if (requirement) return { ...pickAsked(requirement), requirement };
  if (by || !override) return ANY_APPROVER;
  const expiry = override.expires_after_ms ?? 0;
  return {
    approver_roles: override.approver_roles.length > 0 ? override.approver_roles : APPROVERS,
    quorum: Math.max(1, Math.floor(override.quorum) || 1),
    expires_after_ms: expiry > 0 ? expiry : APPROVAL_EXPIRES_AFTER_MS,
    requirement: null,
  };
}

function pickAsked({ approver_roles, quorum, expires_after_ms }: ApprovalRequirement): Omit<Approvers, 'requirement'> {
  return { approver_roles, quorum: Math.max(1, Math.floor(quorum) || 1), expires_after_ms };
}
