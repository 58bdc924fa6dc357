import type { EffectClass, Tier, ToolContract } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStricter, resolveRuling } from './resolve.js';
import type { RulingInput } from './ruling-input.js';

const contract = (effect_class: EffectClass, more: Partial<ToolContract> = {}): ToolContract => ({
  name: 'pay',
  version: '1.0.0',
  title: 'Pay',
  description: 'Pays.',
  category: 'test',
  input_schema: {},
  output_schema: {},
  effect_class,
  reversibility: 'reversible',
  idempotency: { except: [] },
  takes_key: false,
  has_reconcile: false,
  has_compensate: false,
  timeout_ms: 1000,
  settle_ms: 2000,
  settle_is_final: false,
  max_output_bytes: 1000,
  markings: [],
  scopes: [],
  ...more,
});

const input = (effect_class: EffectClass, more: Partial<RulingInput> = {}): RulingInput => ({
  contract: contract(effect_class),
  lifecycle: 'active',
  context: { safety_mode: null },
  principal: { kind: 'agent', id: 'a', roles: ['agent'] },
  authority: null,
  inputs_json: '{}',
  now_ms: 0,
  ...more,
});

const override = (tier: Tier, more: object = {}) => ({
  tier,
  rule_id: 'acme-7',
  approver_roles: [],
  quorum: 1,
  expires_after_ms: null,
  ...more,
});

test.each([
  ['pure', 'allow', 'tier_0_safe', 'read_only'],
  ['read_internal', 'allow', 'tier_0_safe', 'read_only'],
  ['read_external', 'allow', 'tier_1_auto', 'network'],
  ['stage', 'allow', 'tier_1_auto', 'local_write'],
  ['commit_low', 'allow', 'tier_1_auto', 'local_write'],
  ['commit_high', 'require_approval', 'tier_2_approval_required', 'delegated'],
] as const)('%s is by default %s at %s in mode %s', (effectClass, effect, tier, mode) => {
  expect(resolveRuling(input(effectClass))).toMatchObject({
    effect,
    tier,
    approval_mode_effective: mode,
    rule: `default.${effectClass}`,
    reason: null,
  });
});

test('an irreversible commit_high is destructive', () => {
  const ruling = resolveRuling(input('commit_high', { contract: contract('commit_high', { reversibility: 'irreversible' }) }));
  expect(ruling.approval_mode_effective).toBe('destructive');
});

test('a contract may declare a stricter tier, never a laxer one', () => {
  const stricter = resolveRuling(input('stage', { contract: contract('stage', { tier: 'tier_2_approval_required' }) }));
  expect(stricter).toMatchObject({ effect: 'require_approval', rule: 'default.contract_tier' });
  const laxer = resolveRuling(input('commit_high', { contract: contract('commit_high', { tier: 'tier_0_safe' }) }));
  expect(laxer).toMatchObject({ effect: 'require_approval', rule: 'default.commit_high' });
});

test('a tenant may lower or raise the tier, and the ruling names its rule', () => {
  expect(resolveRuling(input('commit_high', { override: override('tier_1_auto') }))).toMatchObject({ effect: 'allow', rule: 'acme-7' });
  expect(resolveRuling(input('pure', { override: override('tier_3_blocked') }))).toMatchObject({
    effect: 'deny',
    rule: 'acme-7',
    reason: { code: 'POLICY_DENIED' },
  });
});

test('an override has its approvers, quorum and expiry; without them any one approver may approve within 24 h', () => {
  const more = { approver_roles: ['operator'], quorum: 2, expires_after_ms: 5000 };
  const requested = resolveRuling(input('stage', { override: override('tier_2_approval_required', more) }));
  expect(requested).toMatchObject({ effect: 'require_approval', ...more });
  const plain = resolveRuling(input('stage', { override: override('tier_2_approval_required', { quorum: 0 }) }));
  expect(plain).toMatchObject({ approver_roles: ['approver'], quorum: 1, expires_after_ms: 86_400_000 });
});

test('a read-only run may read and not write, whatever the tenant allows', () => {
  const context = { safety_mode: 'read_only' as const };
  expect(resolveRuling(input('read_external', { context })).effect).toBe('allow');
  expect(resolveRuling(input('stage', { context, override: override('tier_0_safe') }))).toMatchObject({
    effect: 'deny',
    rule: 'context.safety_mode.read_only',
  });
});

test('ask_all requires approval for every write that would run automatically, and loosens nothing', () => {
  const context = { safety_mode: 'ask_all' as const };
  expect(resolveRuling(input('pure', { context })).effect).toBe('allow');
  expect(resolveRuling(input('stage', { context }))).toMatchObject({ effect: 'require_approval', rule: 'context.safety_mode.ask_all' });
  expect(resolveRuling(input('stage', { context, override: override('tier_3_blocked') })).effect).toBe('deny');
  expect(resolveRuling(input('commit_high', { context })).rule).toBe('default.commit_high');
});

test('a blocked version is denied before anything else; a deprecated one still runs', () => {
  expect(resolveRuling(input('pure', { lifecycle: 'blocked', override: override('tier_0_safe') }))).toMatchObject({
    effect: 'deny',
    rule: 'lifecycle.blocked',
    reason: { code: 'POLICY_DENIED', retryable: false },
  });
  expect(resolveRuling(input('pure', { lifecycle: 'deprecated' })).effect).toBe('allow');
});

test('the context never makes a ruling laxer', () => {
  const order = { allow: 0, require_approval: 1, defer: 2, deny: 3 };
  const tiers = fc.constantFrom<Tier>('tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked');
  const classes = fc.constantFrom<EffectClass>('pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high');
  fc.assert(
    fc.property(classes, fc.option(tiers), fc.constantFrom('read_only' as const, 'ask_all' as const), (effectClass, tier, safety_mode) => {
      const base = input(effectClass, { override: tier ? override(tier) : undefined });
      const tight = resolveRuling({ ...base, context: { safety_mode } });
      expect(order[tight.effect]).toBeGreaterThanOrEqual(order[resolveRuling(base).effect]);
    }),
  );
});

test('an unreadable call is denied with a reason, and nothing is thrown', () => {
  const odd = fc.anything({ withNullPrototype: true });
  const parts = ['contract', 'override', 'lifecycle', 'context', 'principal'] as const;
  const known = input('pure');
  fc.assert(
    fc.property(fc.constantFrom(...parts), odd, (part, value) => {
      const ruling = resolveRuling({ ...known, [part]: value } as unknown as RulingInput);
      if (ruling.effect === 'deny') expect(ruling.reason?.code).toBe('POLICY_DENIED');
      else expect(ruling).toMatchObject({ effect: 'allow', tier: 'tier_0_safe' });
    }),
    { numRuns: 500 },
  );
  expect(resolveRuling(undefined as unknown as RulingInput).effect).toBe('deny');
  for (const broken of [{ effect_class: 'magic' }, { effect_class: undefined }])
    expect(resolveRuling(input('pure', { contract: { ...contract('pure'), ...broken } as ToolContract })).effect).toBe('deny');
  expect(resolveRuling(input('pure', { override: override('tier_9' as Tier) })).rule).toBe('policy.malformed');
  expect(resolveRuling(input('pure', { principal: { kind: 'agent', id: '', roles: [] } })).effect).toBe('deny');
});

test('a later ruling is stricter if it denies, defers or lowers the inputs', () => {
  expect(isStricter(resolveRuling(input('stage')))).toBe(false);
  expect(isStricter(resolveRuling(input('commit_high')))).toBe(false);
  expect(isStricter(resolveRuling(input('stage', { lifecycle: 'blocked' })))).toBe(true);
});

test.each(['own', 'published'] as const)(
  'an undo that is %s runs by itself, whatever the tool, its row, scopes or a block of its version ask of others',
  (compensation) => {
    const requested = input('commit_high', { compensation, lifecycle: 'blocked', contract: contract('commit_high', { scopes: ['pay'] }) });
    expect(resolveRuling(requested)).toMatchObject({ effect: 'allow', tier: 'tier_1_auto', rule: `compensation.${compensation}` });
  },
);

test('an undo by a version that is suspended or a candidate is denied', () => {
  for (const lifecycle of ['suspended', 'candidate'] as const)
    expect(resolveRuling(input('commit_low', { compensation: 'own', lifecycle }))).toMatchObject({
      effect: 'deny',
      rule: 'lifecycle.blocked',
    });
});

test('an inline compensation is judged like an ordinary call', () => {
  for (const effectClass of ['commit_low', 'commit_high'] as const)
    expect(resolveRuling(input(effectClass, { compensation: 'inline' }))).toEqual(resolveRuling(input(effectClass)));
});
