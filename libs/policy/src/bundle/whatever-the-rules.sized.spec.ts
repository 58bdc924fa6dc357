import type { ApprovalRequirement, Tier } from '@countersign/contracts';
import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quicklyInForce, ruledBy, SUPPLIERS } from '../testing/ruled.js';
import type { Rule, RuleEffect } from './rule.js';

const RUNS = histories(1_000, 20_000);
const asks = { quorum: 2, approver_roles: ['operator'], expires_after_ms: 60_000 } as unknown as ApprovalRequirement;
const row = (tier: Tier) => ({ tier, rule_id: 'tool_policy/po', approver_roles: [], quorum: 1, expires_after_ms: null });

const effects: RuleEffect[] = ['allow', 'require_approval', 'deny', 'defer'];
const conditionTexts = [
  'true',
  'false',
  'inputs.total < 5000',
  'inputs.total > 5000',
  'inputs.missing == 1',
  'inputs.supplier in facts.preapproved_suppliers',
];
const selectors: Rule['tools'][] = [
  {},
  { names: ['create_purchase_order'] },
  { names: ['create_*'] },
  { names: ['other'] },
  { categories: ['purchasing'] },
  { markings: ['finance'] },
  { effect_classes: ['commit_high'] },
];
const anyRule = fc.record({
  effect: fc.constantFrom(...effects),
  when: fc.constantFrom(...conditionTexts),
  tools: fc.constantFrom(...selectors),
  overrides: fc.array(fc.nat(7), { maxLength: 3 }),
  quorum: fc.integer({ min: 1, max: 3 }),
});
const anyRules = fc.array(anyRule, { maxLength: 8 }).map((rules) =>
  rules.map(
    ({ overrides, quorum, ...rule }, i): Rule => ({
      id: `r${i}`,
      ...rule,
      ...(rule.effect === 'allow' ? { overrides: overrides.map((n) => `r${n}`) } : {}),
      ...(rule.effect === 'require_approval' ? { approval: { ...asks, quorum } } : {}),
      ...(rule.effect === 'defer' ? { defer: { until: 'call 0-x ended', timeout_ms: 5, on_timeout: 'deny' as const } } : {}),
    }),
  ),
);
const strictness = { allow: 0, require_approval: 1, defer: 2, deny: 3 };

const ruled = (rules: readonly Rule[], more: Parameters<typeof ruledBy>[1] = {}) =>
  ruledBy([], { policy: { active: quicklyInForce(rules), facts: SUPPLIERS }, ...more });

describe('for any rules', () => {
  test('the order of rules does not change a ruling', () => {
    fc.assert(
      fc.property(
        anyRules.chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length }))),
        ([rules, shuffled]) => void expect(ruled(shuffled)).toEqual(ruled(rules)),
      ),
      { numRuns: RUNS },
    );
  });

  const added = fc.record({ base: anyRules, rule: anyRule, effect: fc.constantFrom<RuleEffect>('deny', 'require_approval') });
  const rows = fc.option(fc.constantFrom<Tier>('tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked'), {
    nil: undefined,
  });

  test('an additional deny or approval rule never allows more, and never requires fewer approvals', () => {
    fc.assert(
      fc.property(added, rows, ({ base, rule, effect }, tier) => {
        const when = tier === undefined ? {} : { override: row(tier) };
        const before = ruled(base, when);
        const after = ruled([...base, { id: 'added', effect, when: rule.when, tools: rule.tools }], when);
        expect(strictness[after.effect]).toBeGreaterThanOrEqual(strictness[before.effect]);
        if (after.effect === 'require_approval') expect(after.parts).toEqual(expect.arrayContaining([...before.parts]));
      }),
      { numRuns: RUNS },
    );
  });

  test('renaming rules changes only the names in the ruling', () => {
    const renamed = (rule: Rule): Rule => ({
      ...rule,
      id: `n${9 - Number(rule.id.slice(1))}`,
      ...(rule.overrides ? { overrides: rule.overrides.map((id) => `n${9 - Number(id.slice(1))}`) } : {}),
    });
    const ofPart = ({ requirement }: { requirement: ApprovalRequirement }) => JSON.stringify(requirement);
    fc.assert(
      fc.property(anyRules, (rules) => {
        const [one, other] = [ruled(rules), ruled(rules.map(renamed))];
        expect([other.effect, other.tier, other.parts.map(ofPart).sort()]).toEqual([one.effect, one.tier, one.parts.map(ofPart).sort()]);
      }),
      { numRuns: RUNS },
    );
  });
});
