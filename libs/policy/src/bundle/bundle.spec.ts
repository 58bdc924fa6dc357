import type { ApprovalRequirement, Tier } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { isStricter } from '../resolve.js';
import { aContract, aRule, inForce, ruledBy, SUPPLIERS } from '../testing/ruled.js';
import { compileBundle } from './compile-bundle.js';
import type { Rule } from './rule.js';

const KORSO = aRule('auto-approve-po-under-5k-preapproved-supplier', 'allow', {
  tools: { names: ['create_purchase_order'] },
  when: 'inputs.total < 5000 && inputs.supplier in facts.preapproved_suppliers',
});
const asks = { quorum: 2, approver_roles: ['operator'], expires_after_ms: 60_000 } as unknown as ApprovalRequirement;
const row = (tier: Tier) => ({ tier, rule_id: 'tool_policy/po', approver_roles: [], quorum: 1, expires_after_ms: null });

const ROW = 'tool.create_purchase_order';

interface Row {
  title: string;
  given: Rule[];
  when?: Parameters<typeof ruledBy>[1];
  inputs?: unknown;
  expected: object;
}

const table: Row[] = [
  { title: 'no rule: the default tier', given: [], expected: { effect: 'require_approval', rule: 'default.commit_high' } },
  {
    title: "Korso's rule allows what it is about",
    given: [KORSO],
    expected: { effect: 'allow', tier: 'tier_1_auto', rule: KORSO.id, bundle_version: 'v1' },
  },
  {
    title: 'and nothing above',
    given: [KORSO],
    inputs: { total: 5000, supplier: 'sup_alpha' },
    expected: { effect: 'require_approval', rule: 'default.commit_high' },
  },
  { title: 'and no other supplier', given: [KORSO], inputs: { total: 1, supplier: 'x' }, expected: { effect: 'require_approval' } },
  {
    title: 'a missing field never allows',
    given: [KORSO],
    inputs: { supplier: 'sup_alpha' },
    expected: { effect: 'require_approval', explanation: { errors: [{ rule: KORSO.id }] } },
  },
  {
    title: 'a text for a number never allows',
    given: [KORSO],
    inputs: { total: '1', supplier: 'sup_alpha' },
    expected: { effect: 'require_approval' },
  },
  {
    title: 'no table: never allows',
    given: [KORSO],
    when: { policy: { active: inForce([KORSO]), facts: new Map() } },
    expected: { effect: 'require_approval' },
  },
  {
    title: 'deny beats require_approval beats allow',
    given: [KORSO, aRule('ask', 'require_approval'), aRule('no', 'deny')],
    expected: { effect: 'deny', rule: 'no', reason: { code: 'POLICY_DENIED' } },
  },
  {
    title: 'require_approval beats the narrower allow',
    given: [KORSO, aRule('ask', 'require_approval')],
    expected: { effect: 'require_approval', rule: 'ask' },
  },
  {
    title: 'a wait comes before an approval and after a denial',
    given: [
      aRule('ask', 'require_approval'),
      aRule('wait', 'defer', { defer: { until: 'call 0-abc ended', timeout_ms: 500, on_timeout: 'deny' } }),
    ],
    expected: { effect: 'defer', rule: 'wait', defer: { until: 'call_ended', call_ids: ['0-abc'], timeout_at_ms: 1500 } },
  },
  {
    title: 'a wait that is over leaves the rest',
    given: [KORSO, aRule('wait', 'defer', { defer: { until: 'call 0-abc ended', timeout_ms: 500, on_timeout: 'deny' } })],
    when: { waited: ['wait'] },
    expected: { effect: 'allow', rule: KORSO.id, explanation: { waited: ['wait'] } },
  },
  {
    title: 'what a wait is for may be there already',
    given: [KORSO, aRule('wait', 'defer', { defer: { until: 'inputs.total > 4000', timeout_ms: 500, on_timeout: 'deny' } })],
    expected: { effect: 'allow', rule: KORSO.id },
  },
  {
    title: 'every rule that requires approval applies, the narrower first',
    given: [
      aRule('a-any', 'require_approval'),
      aRule('z-named', 'require_approval', { tools: { names: ['create_purchase_order'] }, approval: asks }),
    ],
    expected: {
      effect: 'require_approval',
      rule: 'z-named',
      quorum: 3,
      requirement: null,
      parts: [
        { rule: 'z-named', requirement: { quorum: 2, approver_roles: ['operator'], expires_after_ms: 60_000 } },
        { rule: 'a-any', requirement: { quorum: 1, approver_roles: ['approver'] } },
      ],
    },
  },
  {
    title: 'a longer glob is narrower than a shorter, than a category, than nothing',
    given: [
      aRule('a', 'require_approval'),
      aRule('b', 'require_approval', { tools: { categories: ['purchasing'] } }),
      aRule('c', 'require_approval', { tools: { names: ['create_*'] } }),
      aRule('d', 'require_approval', { tools: { names: ['create_purchase_*'] } }),
    ],
    expected: { rule: 'd', explanation: { matched: ['d', 'c', 'b', 'a'] } },
  },
  {
    title: 'a rule about another tool says nothing',
    given: [aRule('no', 'deny', { tools: { names: ['other'] } })],
    expected: { rule: 'default.commit_high' },
  },
  {
    title: 'an upstream selects its own tools and no others',
    given: [aRule('no', 'deny', { tools: { upstream: 'files' } }), aRule('other', 'deny', { tools: { upstream: 'mail' } })],
    when: { contract: aContract('commit_high', { upstream: { server: 'files', tool: 'read' } }) },
    expected: { rule: 'no' },
  },
  {
    title: 'a condition sees the upstream of a tool and what was found in its texts',
    given: [aRule('no', 'deny', { when: "tool.upstream == 'files' && 'instructions' in tool.flags" })],
    when: { contract: aContract('commit_high', { upstream: { server: 'files', tool: 'read', flags: ['instructions'] } }) },
    expected: { rule: 'no' },
  },
  { title: 'a marking selects', given: [aRule('no', 'deny', { tools: { markings: ['finance'] } })], expected: { rule: 'no' } },
  {
    title: 'all parts of a selector must fit',
    given: [aRule('no', 'deny', { tools: { markings: ['finance'], effect_classes: ['pure'] } })],
    expected: { rule: 'default.commit_high' },
  },
  {
    title: 'a deny rule whose condition fails denies',
    given: [aRule('no', 'deny', { when: 'inputs.missing == 1' })],
    expected: { effect: 'deny', rule: 'no', reason: { message: expect.stringContaining('failed') } },
  },
  {
    title: 'an approval rule whose condition fails requires approval',
    given: [KORSO, aRule('ask', 'require_approval', { when: 'inputs.missing == 1' })],
    expected: { effect: 'require_approval', rule: 'ask' },
  },
  {
    title: "the tenant's row asks, whatever allows",
    given: [KORSO],
    when: { override: row('tier_2_approval_required') },
    expected: { effect: 'require_approval', rule: 'tool_policy/po', parts: [{ rule: ROW }] },
  },
  {
    title: 'an allow that overrides the row lowers it',
    given: [{ ...KORSO, overrides: [ROW] }],
    when: { override: row('tier_2_approval_required') },
    expected: { effect: 'allow', rule: KORSO.id, parts: [] },
  },
  {
    title: 'an allow lowers a question only by its id',
    given: [{ ...KORSO, overrides: ['ask'] }, aRule('ask', 'require_approval'), aRule('other', 'require_approval')],
    expected: { effect: 'require_approval', parts: [{ rule: 'other' }] },
  },
  {
    title: 'an allow that does not apply overrides nothing',
    given: [{ ...KORSO, overrides: ['ask'], when: 'inputs.missing == 1' }, aRule('ask', 'require_approval')],
    expected: { effect: 'require_approval', parts: [{ rule: 'ask' }] },
  },
  {
    title: 'an allow overrides no denial',
    given: [{ ...KORSO, overrides: ['no'] }, aRule('no', 'deny')],
    expected: { effect: 'deny', rule: 'no' },
  },
  {
    title: 'a row and rules ask together, also where a rule has the id of the row',
    given: [aRule(ROW, 'require_approval', { approval: asks })],
    when: { override: row('tier_2_approval_required') },
    expected: {
      parts: [
        { rule: ROW, requirement: { quorum: 2 } },
        { rule: `${ROW}.row`, requirement: { quorum: 1 } },
      ],
    },
  },
  {
    title: 'a row that lowers the tier removes no approval',
    given: [aRule('ask', 'require_approval')],
    when: { override: row('tier_1_auto') },
    expected: { effect: 'require_approval', parts: [{ rule: 'ask' }] },
  },
  {
    title: 'a tool that the row blocks stays blocked',
    given: [KORSO],
    when: { override: row('tier_3_blocked') },
    expected: { effect: 'deny', rule: 'tool_policy/po' },
  },
  {
    title: 'the row names itself where no rule speaks',
    given: [],
    when: { override: row('tier_1_auto') },
    expected: { effect: 'allow', rule: 'tool_policy/po' },
  },
  {
    title: 'a read-only run stays read-only',
    given: [KORSO],
    when: { context: { safety_mode: 'read_only' } },
    expected: { effect: 'deny', rule: 'context.safety_mode.read_only' },
  },
  { title: 'an expired rule is none', given: [{ ...KORSO, expires_at_ms: 1000 }], expected: { effect: 'require_approval' } },
  {
    title: 'an allowed read keeps tier 0',
    given: [aRule('yes', 'allow')],
    when: { contract: aContract('pure') },
    expected: { effect: 'allow', tier: 'tier_0_safe', rule: 'yes' },
  },
  {
    title: 'a bundle that cannot rule allows nothing',
    given: [],
    when: { policy: { active: { unusable: 'rule x' }, facts: SUPPLIERS } },
    expected: { effect: 'deny', rule: 'policy.bundle_unusable' },
  },
];

describe('a ruling', () => {
  test.each(table)('$title', ({ given, when, inputs, expected }) => {
    expect(ruledBy(given, when, inputs)).toMatchObject(expected);
  });

  test('explains itself: matching rules, rules that would have matched, tables and bundle', () => {
    const ruling = ruledBy([KORSO, aRule('big', 'deny', { when: 'inputs.total > 9000' })]);
    expect(ruling.explanation).toMatchObject({
      bundle_digest: 'd1',
      matched: [KORSO.id],
      would_have: [{ rule: 'big', why: 'its condition does not hold' }],
      facts: [{ table: 'preapproved_suppliers', version: 3 }],
    });
  });

  test('of a bundle in shadow is recorded and not enforced', () => {
    const policy = { active: inForce([KORSO]), shadow: inForce([aRule('no', 'deny')]), facts: SUPPLIERS };
    expect(ruledBy([], { policy })).toMatchObject({
      effect: 'allow',
      rule: KORSO.id,
      explanation: { shadow: { effect: 'deny', rule: 'no' } },
    });
    expect(ruledBy([], { policy: { ...policy, active: undefined } })).toMatchObject({
      effect: 'require_approval',
      explanation: { shadow: { effect: 'deny' } },
    });
  });
});

describe('obligations', () => {
  test('a cap lowers a value, and the ruling is about the lowered value', () => {
    const cap = aRule('cap', 'allow', { obligations: [{ cap: { path: '/total', max: 100, otherwise: 'lower' } }] });
    const ask = aRule('big', 'require_approval', { when: 'inputs.total > 1000' });
    const ruling = ruledBy([cap, ask]);
    expect(ruling).toMatchObject({ effect: 'allow', inputs_json: '{"supplier":"sup_alpha","total":100}' });
    expect(ruling.explanation?.inputs_digest).toMatch(/^[0-9a-f]{64}$/);
    expect(isStricter(ruling)).toBe(true);
  });

  test('a cap that refuses denies larger values; any cap denies values that are not numbers', () => {
    const refuse = aRule('cap', 'allow', { obligations: [{ cap: { path: '/total', max: 100, otherwise: 'refuse' } }] });
    expect(ruledBy([refuse])).toMatchObject({ effect: 'deny', rule: 'cap', reason: { message: 'rule cap caps /total at 100' } });
    const lower = aRule('cap', 'allow', { obligations: [{ cap: { path: '/total', max: 100, otherwise: 'lower' } }] });
    expect(ruledBy([lower], {}, { total: '4200' }).effect).toBe('deny');
    expect(ruledBy([refuse], {}, { total: 100 }).effect).toBe('allow');
  });

  test('tags and redactions of all matching rules are combined', () => {
    const a = aRule('a', 'allow', { obligations: [{ tag: 'finance' }, { redact: ['/iban'] }] });
    const b = aRule('b', 'require_approval', { obligations: [{ tag: 'finance' }] });
    expect(ruledBy([a, b]).explanation?.obligations.map(({ kind, tag, paths }) => [kind, tag, ...paths])).toEqual([
      ['redact', null, '/iban'],
      ['tag', 'finance'],
    ]);
  });
});

test('all faults are reported at once, with the rule, its field, the place and the reason', () => {
  const rules = [
    aRule('a', 'deny', { when: 'inputs.total <' }),
    aRule('b', 'allow', { when: 'inputs.totl < 1', tools: { names: ['po'] } }),
    aRule('b', 'deny'),
  ];
  const known = {
    fact_tables: [],
    inputsOf: (tool: string) =>
      tool === 'po' ? [{ type: 'object', properties: { total: { type: 'number' } }, additionalProperties: false }] : undefined,
  };
  const compiled = compileBundle({ rules }, { version: 'v', digest: 'd' }, known);
  expect(compiled).toEqual({
    faults: [
      expect.objectContaining({ rule: 'a', field: 'when', position: expect.objectContaining({ line: 1, column: 14 }) }),
      expect.objectContaining({ rule: 'b', field: 'when', reason: 'inputs has no field totl' }),
      expect.objectContaining({ rule: 'b', field: 'id' }),
    ],
  });
});
