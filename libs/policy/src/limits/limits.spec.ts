import type { EffectClass, ToolCall, ToolContract } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demandsOf } from './demands.js';
import { fitsGlob } from './glob.js';
import { guardCall } from './guards.js';
import type { Limit, LimitedCall } from './limited-call.js';

const limit = (more: Partial<Limit>): Limit => ({
  limit_id: 'l',
  version: 1,
  removed: false,
  kind: 'max_tool_calls',
  scope: 'tenant',
  subjects: [],
  tools: [],
  max: 10,
  window_ms: null,
  amount: null,
  per: null,
  allowed: [],
  side_effects: null,
  on_exceeded: 'deny',
  defer_timeout_ms: null,
  by: { kind: 'user', id: 'root', roles: [] },
  changed_at_ms: 0,
  ...more,
});

interface Called {
  effect_class?: EffectClass;
  contract?: Partial<ToolContract>;
  call?: Partial<ToolCall>;
  context?: Partial<ToolCall['context']>;
}

function called({ effect_class = 'commit_low', contract = {}, call = {}, context = {} }: Called = {}): LimitedCall {
  const known = { name: 'pay', version: '1.0.0', category: 'finance', effect_class, reversibility: 'reversible', markings: [], scopes: [] };
  const none = { run_id: null, safety_mode: null, run_budget: null, iteration: null };
  const requestedCall = {
    tool: 'pay',
    category: 'finance',
    inputs_json: '{"total":12.5,"supplier":"a","odd":null}',
    case_id: null,
    run_id: null,
    principal: { kind: 'agent', id: 'robot', roles: [] },
    context: { ...none, ...context },
    ...call,
  };
  return { tenant_id: 'acme', call: requestedCall as unknown as ToolCall, contract: { ...known, ...contract } as ToolContract, at_ms: 5 };
}

const rule = (limits: Limit[], on: LimitedCall) => guardCall(limits, on)?.rule;
const wants = (limits: Limit[], on: LimitedCall) => {
  const demands = demandsOf(limits, on);
  return 'rule' in demands
    ? demands.rule
    : demands.map(({ limit_id, subject, per, amount_micro }) => [limit_id, subject, per, amount_micro / 1e6]);
};

describe('a guard', () => {
  test.each<[string, Partial<Limit>, Called, boolean]>([
    ['a tool of the list', { kind: 'enabled_tools', allowed: ['p*'] }, {}, true],
    ['a tool that is not in it', { kind: 'enabled_tools', allowed: ['refund'] }, {}, false],
    ['any tool, for an empty list', { kind: 'enabled_tools', allowed: [] }, {}, false],
    ['the tenth round', { kind: 'max_iterations' }, { context: { iteration: 10 } }, true],
    ['the eleventh', { kind: 'max_iterations' }, { context: { iteration: 11 } }, false],
    ['a read where reads are allowed', { kind: 'side_effects', side_effects: 'reads' }, { effect_class: 'read_external' }, true],
    ['a write there', { kind: 'side_effects', side_effects: 'reads' }, { effect_class: 'stage' }, false],
    ['a read where nothing is', { kind: 'side_effects', side_effects: 'none' }, { effect_class: 'read_internal' }, false],
    ['any effect where the ceiling is missing', { kind: 'side_effects' }, { effect_class: 'read_internal' }, false],
    ['what costs as much as it may', { kind: 'cost_ceiling', max: 2 }, { contract: { cost_per_call: 2 } }, true],
    ['what costs more', { kind: 'cost_ceiling', max: 2 }, { contract: { cost_per_call: 2.01 } }, false],
    ['more by its inputs', { kind: 'cost_ceiling', max: 12, amount: 'inputs.total' }, {}, false],
    ['an amount that cannot be evaluated', { kind: 'cost_ceiling', max: 12, amount: 'inputs.nothing' }, {}, false],
    ['an amount that does not compile', { kind: 'cost_ceiling', max: 12, amount: 'inputs.total <' }, {}, false],
    ['another tool than it is about', { kind: 'enabled_tools', tools: ['refund'] }, {}, true],
    ['another agent than it is about', { kind: 'enabled_tools', scope: 'agent', subjects: ['other*'] }, {}, true],
    ['a call without a case', { kind: 'enabled_tools', scope: 'case' }, {}, true],
  ])('for %s', (_, one, on, passes) => expect(rule([limit(one)], called(on))).toBe(passes ? undefined : 'limit.l'));

  test('the strictest of several guards decides', () => {
    const limits = [limit({ kind: 'enabled_tools', allowed: ['*'] }), limit({ limit_id: 'm', kind: 'enabled_tools', allowed: ['refund'] })];
    expect(rule(limits, called())).toBe('limit.m');
  });

  test('a run budget also applies to a call without a run', () => {
    const dear = { contract: { cost_per_call: 3 } };
    expect(rule([], called({ ...dear, context: { run_budget: 2 } }))).toBe('limit.context.run_budget');
    expect(rule([], called({ ...dear, context: { run_budget: 3 } }))).toBeUndefined();
  });
});

describe('a counter', () => {
  test.each<[Limit['scope'], Called, string[]]>([
    ['tenant', {}, ['acme']],
    ['agent', {}, ['robot']],
    ['tool', {}, ['pay']],
    ['run', {}, []],
    ['case', { call: { case_id: 'c1' } }, ['c1']],
    ['capability', {}, ['finance']],
    ['capability', { contract: { capabilities: ['pay.out', 'erp'] } }, ['pay.out', 'erp']],
  ])('of a %s counts for it', (scope, on, subjects) =>
    expect(wants([limit({ scope })], called(on))).toEqual(subjects.map((subject) => ['l', subject, '', 1])),
  );

  test('adds amounts separately for each value of `per`', () => {
    const one = limit({ kind: 'cumulative', amount: 'inputs.total', per: 'inputs.supplier' });
    expect(wants([one], called())).toEqual([['l', 'acme', 'a', 12.5]]);
    for (const broken of [{ amount: 'inputs.nothing' }, { amount: '-1' }, { per: 'inputs.odd' }, { per: 'inputs' }])
      expect(wants([{ ...one, ...broken }], called())).toBe('limit.l');
  });

  test('of a budget counts the cost that the tool declares', () => {
    const on = called({ contract: { cost_per_call: 0.25 }, call: { run_id: 'r' }, context: { run_budget: 4 } });
    expect(wants([limit({ kind: 'max_budget' })], on)).toEqual([
      ['l', 'acme', '', 0.25],
      ['default.max_tool_calls', 'r', '', 1],
      ['context.run_budget', 'r', '', 0.25],
    ]);
  });

  test('of egress counts only calls that leave the installation', () => {
    const egress = limit({ kind: 'egress', scope: 'capability', window_ms: 1000 });
    expect(wants([egress], called({ effect_class: 'stage' }))).toEqual([]);
    expect(wants([egress], called({ effect_class: 'stage', contract: { network: ['api'] } }))).toEqual([['l', 'finance', '', 1]]);
    expect(wants([egress], called({ effect_class: 'read_external' }))).toEqual([['l', 'finance', '', 1]]);
  });

  test('applies to runs by default, unless the tenant has a limit of that kind for them', () => {
    const on = called({ call: { run_id: 'r' } });
    expect(wants([], on)).toEqual([['default.max_tool_calls', 'r', '', 1]]);
    expect(wants([limit({ scope: 'run', max: 99 })], on)).toEqual([['l', 'r', '', 1]]);
    expect(wants([limit({ scope: 'run', subjects: ['x'] })], on)).toEqual([['default.max_tool_calls', 'r', '', 1]]);
    expect(wants([], called())).toEqual([]);
  });

  test('is separate for each tenant, limit, subject and value', () => {
    const key = (more: Partial<Limit>, tenant_id = 'acme', call: Partial<ToolCall> = {}) => {
      const demands = demandsOf([limit(more)], { ...called({ call }), tenant_id });
      return 'rule' in demands ? demands.rule : demands[0]?.counter;
    };
    const keys = [key({}), key({}, 'globex'), key({ limit_id: 'm' }), key({ scope: 'agent' }), key({ per: 'inputs.supplier' })];
    expect(new Set(keys).size).toBe(keys.length);
    expect(key({})).toBe(key({}));
  });
});

test('a glob matches like its equivalent regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (glob, value) => {
      const expected = new RegExp(`^${glob.split('*').join('.*')}$`, 's').test(value);
      expect(fitsGlob(glob, value)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

test('limits cannot use trust: an amount that uses it fails, and the call is refused', () => {
  const by = (amount: string) => [limit({ kind: 'cumulative', amount, max: 1_000, window_ms: 1_000 })];
  expect(wants(by('trust.tool > 0.9 ? 0.0 : inputs.total'), called())).toBe('limit.l');
  expect(wants(by('inputs.total'), called())).toEqual([['l', expect.anything(), expect.anything(), 12.5]]);
});
