import type { ApprovalRequirement, EventMap, EventType } from '@countersign/contracts';
import { requirementOf } from '@countersign/domain';
import { beforeEach, describe, expect, test } from 'vitest';
import { changedRulings, voidGrants } from './changed-rulings.js';
import { LivedWorld } from './testing/lived-world.js';

const MINUTE_MS = 60_000;
const plain = requirementOf({ approver_roles: ['approver'], quorum: 1, expires_after_ms: 60 * MINUTE_MS });
const asking = (id: string, when: string, approval: Partial<ApprovalRequirement> = {}) => ({
  id,
  tools: { names: ['pay'] },
  when,
  effect: 'require_approval',
  approval: { ...plain, ...approval },
});
const large = asking('over-10000', 'inputs.amount > 10000', { quorum: 2 });
const mismatch = asking('mismatching-lines', 'inputs.lines == "mismatch"', { approver_roles: ['buyer'] });
const INPUTS = {
  type: 'object',
  properties: { amount: { type: 'number', 'x-grant': 'amount' }, memo: { type: 'string', 'x-grant': 'free' } },
};

let world: LivedWorld;
beforeEach(() => {
  world = new LivedWorld(Date.parse('2026-11-02T09:00Z'));
  world.tool('pay', 'commit_high', INPUTS);
});

const eventsOf = <T extends EventType>(call_id: string, type: T): EventMap[T][] =>
  world.records.flatMap((record) =>
    record.event.meta.call_id === call_id && record.event_type === type ? [record.event as EventMap[T]] : [],
  );
const ran = (call_id: string): boolean => {
  world.until(world.now_ms + MINUTE_MS);
  return eventsOf(call_id, 'tool_executed').length > 0;
};

describe('given quorum 2 for amounts over 10,000 and quorum 1 for mismatching lines', () => {
  beforeEach(() => world.policy('1', [large, mismatch]));

  test('when a call matches both rules, then one vote does not run it, and three do', () => {
    const call_id = world.request('pay', { amount: 20_000, lines: 'mismatch' });
    expect(eventsOf(call_id, 'approval_requested')[0]?.parts.map(({ rule }) => rule)).toEqual(['mismatching-lines', 'over-10000']);
    world.vote(`${call_id}.1`, 'bea', 'approve', {}, ['buyer']);
    world.vote(`${call_id}.1`, 'ann', 'approve');
    expect(ran(call_id)).toBe(false);
    world.vote(`${call_id}.1`, 'bob', 'approve');
    expect(ran(call_id)).toBe(true);
  });

  test('when a rule with other approvers is added before the call runs, then the approved call does not run', () => {
    const call_id = world.request('pay', { amount: 20_000, lines: 'fine' });
    world.vote(`${call_id}.1`, 'ann', 'approve');
    world.policy('2', [large, asking('weekend', 'true', { approver_roles: ['lead'] })]);
    world.vote(`${call_id}.1`, 'bob', 'approve');
    expect(ran(call_id)).toBe(false);
    expect(eventsOf(call_id, 'tool_call_rejudged')).toHaveLength(1);
  });

  test('when the known people cannot satisfy a part, then the request says so', () => {
    const call_id = world.request('pay', { amount: 20_000, lines: 'fine' });
    expect(eventsOf(call_id, 'approval_requested')[0]?.parts[0]?.shortfall).toMatch(
      /^rule over-10000 needs 2 approvals, but only \d of the people/,
    );
  });
});

describe('given a grant for 100 to a supplier, with two uses', () => {
  const paid = (amount: number, supplier: string, memo = 'x') => world.request('pay', { amount, supplier, currency: 'EUR', memo });
  beforeEach(() => {
    world.policy('1', [asking('ask', 'true', { four_eyes: false })]);
    const call_id = paid(100, 'a');
    world.vote(`${call_id}.1`, 'ann', 'approve', { grant: { scope: 'tool', for_ms: 60 * MINUTE_MS, uses: 2 } });
    expect(ran(call_id)).toBe(true);
    const { similar } = eventsOf(call_id, 'approval_granted')[0] as EventMap['approval_granted'];
    world.set('grant_set', { grant: similar, revoked: false, changed_at_ms: world.now_ms });
  });

  test('then 40,000 to another supplier needs approval, and so does a larger or non-positive amount to the same one', () => {
    for (const call_id of [paid(40_000, 'b'), paid(40_000, 'a'), paid(100, 'b'), paid(0, 'a'), paid(-1, 'a')])
      expect(ran(call_id)).toBe(false);
  });

  test('then a smaller amount to the same supplier runs without approval, as often as granted', () => {
    const calls = [paid(99, 'a'), paid(100, 'a', 'other memo'), paid(98, 'a')];
    expect(calls.map(ran)).toEqual([true, true, false]);
    expect(eventsOf(calls[2] as string, 'policy_decided')[0]).toMatchObject({ effect: 'require_approval', rule: 'ask' });
  });

  test('then a rule that the grant does not name still requires approval', () => {
    world.policy('2', [asking('ask', 'true', { four_eyes: false }), asking('audit', 'true', { approver_roles: ['auditor'] })]);
    const call_id = paid(99, 'a');
    expect(eventsOf(call_id, 'approval_requested')[0]?.parts.map(({ rule }) => rule)).toEqual(['audit']);
    world.vote(`${call_id}.1`, 'una', 'approve', {}, ['auditor']);
    expect(ran(call_id)).toBe(true);
  });

  test('then a grant from before grants recorded inputs covers nothing, and the service logs that at its start', () => {
    const { grants } = world.config.by_tenant.get('acme') ?? [...world.config.by_tenant.values()][0]!;
    for (const [id, kept] of grants) grants.set(id, { ...kept, grant: { ...kept.grant, inputs: null, rules: [] } });
    expect(ran(paid(100, 'a', 'again'))).toBe(false);
    expect([...voidGrants(world.config, world.now_ms).values()]).toEqual([1]);
  });
});

test('given a bundle from before parts existed, a start lists the rulings that may change; a newer bundle is not listed', () => {
  world.policy('1', [large, mismatch, { id: 'yes', tools: { names: ['pay'] }, effect: 'allow' }]);
  expect(changedRulings(world.config)).toEqual([]);
  for (const { bundles } of world.config.by_tenant.values()) for (const bundle of bundles.versions.values()) bundle.semantics = 1;
  expect(changedRulings(world.config)).toEqual([
    expect.objectContaining({ tool: 'pay', bundle_version: '1', why: expect.stringContaining('apply together') }),
  ]);
  world.set('tool_policy_set', {
    tool: 'pay',
    tier: 'tier_2_approval_required',
    rule_id: 'row',
    approver_roles: ['approver'],
    quorum: 1,
    expires_after_ms: null,
    requirement: null,
    changed_at_ms: 1,
  });
  expect(changedRulings(world.config).map(({ why }) => why)).toContainEqual(expect.stringContaining('overrides: ["tool.pay"]'));
});
