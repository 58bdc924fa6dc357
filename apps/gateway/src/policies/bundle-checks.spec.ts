import { sampleContract } from '@countersign/calls/testing/samples';
import { compileBundle, type PolicyBundle } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { approvalRequirement } from '../requests/approval-requirement.js';
import { type BundleFindings, bundleFindings, type KnownTenant, peopleFindings } from './bundle-checks.js';
import { draftBundle, parseBundle } from './bundle-request.js';
import { conditionFaults } from './path-checks.js';

const input_schema = {
  type: 'object',
  properties: { supplier: { type: 'string' }, total: { type: 'number' }, lines: { type: 'array', items: { properties: { price: {} } } } },
  additionalProperties: false,
};
const output_schema = { type: 'object', properties: { iban: { type: 'string' } }, additionalProperties: false };
const known: KnownTenant = {
  links: [],
  contracts: [
    sampleContract({ input_schema: { ...sampleContract().input_schema, additionalProperties: false }, output_schema }),
    sampleContract({ name: 'pay_invoice', category: 'finance', effect_class: 'commit_high', input_schema, output_schema }),
  ],
  roles: new Set(['admin', 'approver', 'agent']),
  people: new Set(['anna', 'bob']),
  issuers: new Set(['https://id.example']),
  mapped_to: new Map([['pay_invoice', ['/cents', '/header/date']]]),
};

const ask = (approval: object) => ({ id: 'r', effect: 'require_approval', approval });
const deny = (more: object) => ({ id: 'r', effect: 'deny', ...more });

/** Runs the checks of publishing: the text, then its conditions, then their meaning. */
function findings(rules: object[], of: KnownTenant = known): BundleFindings {
  const bundle = draftBundle.parse({ rules }) as PolicyBundle;
  const compiled = compileBundle(bundle, { version: '1', digest: 'd' }, { inputsOf: () => undefined, fact_tables: [] });
  if ('faults' in compiled) throw new Error(compiled.faults.map(({ reason }) => reason).join('; '));
  const { faults, warnings } = bundleFindings(bundle, of);
  return { faults: [...faults, ...conditionFaults(compiled.bundle.rules, of)], warnings };
}

const refusals: [what: string, rule: object, field: string, reason: string][] = [
  ['a person without a key', ask({ people: ['bobb'] }), '/approval/people/0', 'no user bobb has a valid key; did you mean bob?'],
  [
    'a person of an escalation',
    ask({ on_expiry: 'escalate', escalate_to: [{ people: ['carl'], expires_after_ms: 1000 }] }),
    '/approval/escalate_to/0/people/0',
    'no user carl',
  ],
  [
    'a bare name of a provider',
    ask({ people: ['anna', 'zoe'] }),
    '/approval/people/1',
    'write <issuer>|<subject> with one of the issuers https://id.example',
  ],
  [
    'an unknown issuer',
    ask({ people: ['https://evil.example|bob'] }),
    '/approval/people/0',
    'no identity provider of this tenant has the issuer https://evil.example; issuers are https://id.example',
  ],
  [
    'an unknown role',
    ask({ approver_roles: ['aprover'] }),
    '/approval/approver_roles/0',
    'the role aprover does not exist; roles are admin, approver, agent',
  ],
  ['an unknown tool', deny({ tools: 'pay_invoic' }), '/tools/names/0', 'the tool pay_invoic does not exist; did you mean pay_invoice?'],
  [
    'one unknown tool of a list',
    deny({ tools: ['write_note', 'x'] }),
    '/tools/names/1',
    'the tool x does not exist; known: pay_invoice, write_note',
  ],
  ['a glob that fits nothing', deny({ tools: 'query_*' }), '/tools/names/0', 'no tool name matches query_*: the rule can never apply'],
  [
    'an unknown category',
    deny({ tools: { categories: ['fin'] } }),
    '/tools/categories/0',
    'no tool has the category fin; known: finance, notes',
  ],
  ['an effect class of no tool', deny({ tools: { effect_classes: ['pure'] } }), '/tools', 'no tool matches all parts of the selector'],
  ['a marking of no tool', deny({ tools: { markings: ['secret'] } }), '/tools', 'no tool matches all parts of the selector'],
  [
    'parts that fit, and not together',
    deny({ tools: { names: ['write_*'], categories: ['finance'] } }),
    '/tools',
    'no tool matches all parts of the selector: the rule can never apply. Remove parts',
  ],
  [
    'an open input of a saga that no tool has',
    ask({ saga_max_ms: 1000, saga_open_inputs: ['total', 'sum'] }),
    '/approval/saga_open_inputs/1',
    'no tool of this rule has an input /sum: the rule can never apply',
  ],
  [
    'a cap on no input',
    { id: 'r', effect: 'allow', tools: 'pay_*', obligations: [{ cap: { path: '/amount', max: 5 } }] },
    '/obligations/0/cap/path',
    'no tool of this rule has an input /amount: the rule can never apply; known: /lines, /supplier, /total',
  ],
  [
    'a cap below a number',
    { id: 'r', effect: 'allow', tools: 'pay_*', obligations: [{ tag: 't' }, { cap: { path: '/total/net', max: 5 } }] },
    '/obligations/1/cap/path',
    'no tool of this rule has an input /total/net',
  ],
  [
    'a cap on no field of the mapped form',
    { id: 'r', effect: 'allow', tools: 'pay_*', obligations: [{ cap: { path: '/pounds', max: 5, form: 'mapped' } }] },
    '/obligations/0/cap/path',
    'no tool of this rule has /pounds in its mapped inputs',
  ],
  [
    'a cap of the agent form on what only a mapping makes',
    { id: 'r', effect: 'allow', tools: 'pay_*', obligations: [{ cap: { path: '/cents', max: 5 } }] },
    '/obligations/0/cap/path',
    'no tool of this rule has an input /cents',
  ],
  [
    'a redaction of no part of the result',
    { id: 'r', effect: 'allow', obligations: [{ redact: ['/iban', '/bic'] }] },
    '/obligations/0/redact/1',
    'no tool of this rule has /bic in its output: the rule can never apply',
  ],
  ['a condition on no input', deny({ tools: 'pay_*', when: 'inputs.totl > 5.0' }), '/when', 'no tool of this rule has an input /totl'],
  [
    'a condition on an input of other tools',
    deny({ tools: 'pay_*', when: 'inputs.path == "x"' }),
    '/when',
    'known: /lines, /supplier, /total',
  ],
  ['a condition of every tool', deny({ when: 'has(inputs.nowhere)' }), '/when', 'no tool of this rule has an input /nowhere'],
  ['a condition on the mapped form', deny({ tools: 'pay_*', when: 'mapped.pounds > 5' }), '/when', 'has /pounds in its mapped inputs'],
  [
    'a defer that waits for no input',
    { id: 'r', effect: 'defer', defer: { until: 'inputs.nowhere == 1', timeout_ms: 1000 } },
    '/defer/until',
    'no tool of this rule has an input /nowhere',
  ],
  [
    'an override of nothing',
    { id: 'r', effect: 'allow', overrides: ['tool.pay_invoic'] },
    '/overrides/0',
    'tool.pay_invoic is neither a rule of this bundle nor tool.<name> of a known tool; did you mean tool.pay_invoice?',
  ],
  [
    'an override of itself',
    { id: 'r', effect: 'allow', overrides: ['r'] },
    '/overrides/0',
    'rule r has the effect allow: overrides may name only rules with the effect require_approval',
  ],
  ['an id of the rows', { id: 'tool.pay_invoice', effect: 'allow' }, '/id', 'ids that start with `tool.`'],
];

describe('a bundle with semantic errors is refused', () => {
  test.each(refusals)('%s', (_what, rule, field, reason) => {
    const { faults } = findings([rule]);
    expect(faults).toEqual([{ rule: (rule as { id: string }).id, field, reason: expect.stringContaining(reason) }]);
  });

  test('an issuer is refused if the tenant has no provider, with the fix', () => {
    const { faults } = findings([ask({ people: ['https://id.example|bob'] })], { ...known, issuers: new Set() });
    expect(faults).toMatchObject([{ field: '/approval/people/0', reason: expect.stringContaining('the tenant has none: set one up') }]);
  });

  test.each([
    ['one person', { people: ['bob'], quorum: 2 }],
    ['one person twice', { people: ['bob', 'bob'], quorum: 2 }],
    ['one person in two notations', { people: ['bob', ' BOB'], quorum: 2 }],
    ['one person by two names', { people: ['bob', 'local|bob'], quorum: 2 }],
    ['one subject of two issuers, who votes once', { people: ['bob', 'https://id.example|bob'], quorum: 2 }],
    ['two people for three', { people: ['bob', 'anna'], quorum: 3 }],
  ])('a quorum above the people named: %s', (_what, approval) => {
    const problem = parseBundle(draftBundle, { rules: [ask(approval)] });
    const message = expect.stringContaining('the group names fewer people than its quorum: name more people, add approver_roles, or lower');
    expect(problem).toMatchObject({ more: { issues: [{ path: '/rules/0/approval/quorum', rule: 'r', message }] } });
    const levels = { on_expiry: 'escalate', escalate_to: [{ ...approval, expires_after_ms: 1000 }] };
    const later = parseBundle(draftBundle, { rules: [ask(levels)] });
    expect(later).toMatchObject({ more: { issues: [{ path: '/rules/0/approval/escalate_to/0/quorum', message }] } });
    expect(approvalRequirement.safeParse(approval).success).toBe(false);
  });
});

test('a quorum above the number of distinct people by person links is refused, with the path of its group', () => {
  const links = [{ one: { issuer: 'local', id: 'anna' }, other: { issuer: 'local', id: 'bob' }, relation: 'same' as const }];
  const two = { people: ['anna', 'bob'], quorum: 2 };
  const levels = { on_expiry: 'escalate', escalate_to: [{ ...two, expires_after_ms: 1000 }] };
  const fields = (approval: object, of: KnownTenant) => findings([ask(approval)], of).faults.map(({ field }) => field);
  expect(fields(two, { ...known, links })).toEqual(['/approval/quorum']);
  expect(fields(levels, { ...known, links })).toEqual(['/approval/escalate_to/0/quorum']);
  expect(fields({ ...two, approver_roles: ['approver'] }, { ...known, links })).toEqual([]);
  expect(fields(two, known)).toEqual([]);
});

describe('a bundle without semantic errors is accepted', () => {
  test.each([
    ['people with keys, by both names', ask({ people: ['anna', 'local|bob'], quorum: 2 })],
    ['roles make a quorum with people', ask({ people: ['bob'], approver_roles: ['approver'], quorum: 2 })],
    [
      'a glob, a category and an effect class together',
      deny({ tools: { names: ['pay_*'], categories: ['finance'], effect_classes: ['commit_high'] } }),
    ],
    ['items of lists', { id: 'r', effect: 'allow', obligations: [{ cap: { path: '/lines/*/price', max: 5 } }, { redact: ['/iban'] }] }],
    [
      'what a mapping puts there',
      { id: 'r', effect: 'allow', tools: 'pay_*', obligations: [{ cap: { path: '/cents', max: 5, form: 'mapped' } }] },
    ],
    [
      'what a mapping puts below',
      { id: 'r', effect: 'allow', tools: 'pay_*', obligations: [{ cap: { path: '/header', max: 5, form: 'mapped' } }] },
    ],
    [
      'a mapped cap on what the mapping leaves alone',
      { id: 'r', effect: 'allow', obligations: [{ cap: { path: '/total', max: 5, form: 'mapped' } }] },
    ],
    ['conditions on fields of one of several tools', deny({ when: 'has(inputs.path) && mapped.cents > 5 && size(inputs) > 1' })],
    ['an override of a row, and of all rows', { id: 'r', effect: 'allow', overrides: ['tool.write_note', 'tool.*'] }],
  ])('%s', (_what, rule) => {
    expect(findings([rule])).toEqual({ faults: [], warnings: [] });
  });

  test('a subject of a configured provider is accepted with a warning that names it', () => {
    const { faults, warnings } = findings([ask({ people: ['https://id.example|zoe', 'anna'] })]);
    expect(faults).toEqual([]);
    const reason = 'zoe of https://id.example has not signed in yet: it is not checked whether the person exists';
    expect(warnings).toEqual([{ rule: 'r', field: '/approval/people/0', reason }]);
  });

  test('every fault of a bundle is reported, not only the first', () => {
    const { faults } = findings([deny({ id: 'a', tools: ['x', 'y'] }), { ...ask({ people: ['carl'] }), id: 'b' }]);
    expect(faults.map(({ rule, field }) => [rule, field])).toEqual([
      ['a', '/tools/names/0'],
      ['a', '/tools/names/1'],
      ['b', '/approval/people/0'],
    ]);
  });
});

test('a row of the tool policy has paths in its own body', () => {
  const requirement = approvalRequirement.parse({ people: ['carl', 'https://id.example|zoe'] });
  const { faults, warnings } = peopleFindings(requirement, known, { rule: 'tool.pay_invoice', field: '/requirement' });
  expect([faults, warnings]).toMatchObject([[{ field: '/requirement/people/0' }], [{ field: '/requirement/people/1' }]]);
});

test('open inputs of a saga need a time for which one approval covers it', () => {
  const written = { saga_open_inputs: ['total'] };
  expect(approvalRequirement.safeParse(written).error?.issues).toMatchObject([{ path: ['saga_open_inputs'] }]);
  expect(approvalRequirement.safeParse({ ...written, saga_max_ms: 0 }).success).toBe(false);
  expect(approvalRequirement.parse({ ...written, saga_max_ms: 1 })).toMatchObject({ saga_max_ms: 1, saga_open_inputs: ['total'] });
  expect(approvalRequirement.parse({})).not.toHaveProperty('saga_max_ms');
});
