import { defaultTier, strictness, type Tier } from '@countersign/contracts';
import { type Asks, asksOf } from './asking.js';
import type { CompiledRule } from './bundle/compiled-rule.js';
import { conditions } from './conditions/index.js';
import { isSetUndo, type RulingInput } from './ruling-input.js';
import type { Weighed } from './weigh.js';

/** The tier of a call and the rule that set it. */
export interface Standing {
  tier: Tier;
  rule: string;
  why: string | undefined;
  /** The rule of the bundle that set it. */
  by: CompiledRule | undefined;
}

/** The tier if no rule of a bundle applies: of the tenant's row for the tool, else of the contract. */
function baseTier({ contract, override, compensation }: RulingInput): Standing {
  const spoken = { why: undefined, by: undefined };
  if (isSetUndo(compensation)) return { tier: 'tier_1_auto', rule: `compensation.${compensation}`, ...spoken };
  if (override?.tier) return { tier: override.tier, rule: override.rule_id, ...spoken };
  const tier = defaultTier(contract);
  return { tier, rule: tier === contract.tier ? 'default.contract_tier' : `default.${contract.effect_class}`, ...spoken };
}

const isAutomatic = (tier: Tier): boolean => tier === 'tier_0_safe' || tier === 'tier_1_auto';

/**
 * Applies the matching rules to a tier: a deny rule denies, else approval rules require approval, else an allow rule lowers the default. A
 * tool blocked by the tenant's row stays blocked.
 */
function ruled(base: Standing, { matched, errors }: Weighed, { rules, row }: Asks): Standing {
  if (base.tier === 'tier_3_blocked') return base;
  const failureOf = (by: CompiledRule): string | undefined => {
    const error = errors.find(({ rule }) => rule === by.id)?.why;
    return error === undefined ? undefined : `the condition of rule ${by.id} failed: ${error}`;
  };
  const no = matched.find(({ effect }) => effect === 'deny');
  if (no) return { tier: 'tier_3_blocked', rule: no.id, why: failureOf(no) ?? (no.description || undefined), by: no };
  const asking = rules[0];
  if (asking) return { tier: 'tier_2_approval_required', rule: asking.id, why: failureOf(asking), by: asking };
  const yes = matched.find(({ effect }) => effect === 'allow');
  if (row || !yes) return base;
  return { tier: isAutomatic(base.tier) ? base.tier : 'tier_1_auto', rule: yes.id, why: undefined, by: yes };
}

/**
 * The tier of a call and its approvers: by the matching rules, else the tenant's row, else the default. Then conditions may only tighten
 * (among equals the first decides).
 */
export function standingOf(input: RulingInput, weighed: Weighed): { standing: Standing; asks: Asks } {
  const asks = asksOf(weighed.matched, input);
  let standing = ruled(baseTier(input), weighed, asks);
  const set_undo = isSetUndo(input.compensation);
  for (const { rule, judge, binds_undo } of conditions) {
    const judged = set_undo && !binds_undo ? undefined : judge(input);
    if (judged && strictness(judged.tier) > strictness(standing.tier))
      standing = { tier: judged.tier, rule, why: judged.why, by: undefined };
  }
  return { standing, asks };
}
