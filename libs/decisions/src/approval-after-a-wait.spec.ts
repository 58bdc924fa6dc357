import type { ApprovalRequested } from '@countersign/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { LivedWorld } from './testing/lived-world.js';

const HOUR_MS = 3_600_000;
const waits = (when: string) => ({
  id: 'wait',
  tools: { names: ['pay'] },
  effect: 'defer',
  when,
  defer: { until: `!(${when})`, timeout_ms: HOUR_MS, on_timeout: 'require_approval' },
});
const people = { id: 'people', tools: { names: ['pay'] }, effect: 'require_approval' };
const never = 'inputs.total > 0.0';
const user = { kind: 'user' as const, id: 'uma', roles: [] };
const authority = { agent_token_ref: 'key:1', scopes: null, clearances: [], purposes: null, on_behalf_of: user };
const acting = { ...authority, delegated_user_token_ref: null, delegation_id: null, sources: [], markings: [] };

let world: LivedWorld;
beforeEach(() => {
  world = new LivedWorld(Date.parse('2026-11-02T09:00Z'));
  world.tools();
  const principal = { kind: 'agent', id: 'robot', roles: ['agent'] };
  const key = { key_id: 'k', key_hash: 'h', principal, scopes: [], expires_at_ms: null, created_at_ms: 0, owner: 'olga' };
  world.set('api_key_set', { ...key, clearances: [], purposes: null, only_if_first: false });
});

function requested(call_id: string): ApprovalRequested | undefined {
  for (const one of world.records) if (one.event_type === 'approval_requested' && one.event.meta.call_id === call_id) return one.event;
  return undefined;
}
const granted = (call_id: string) =>
  world.records.some((one) => one.event_type === 'approval_granted' && one.event.meta.call_id === call_id);

test('given a call that needs approval at once, its evidence names the bundle that decided', () => {
  world.policy('v7', [people]);
  expect(requested(world.request('pay', { total: 1 }))).toMatchObject({
    barred: ['robot', 'olga'],
    evidence: { rule: 'people', bundle_version: 'v7' },
  });
});

describe('given a call that waits before approval is requested', () => {
  const ends = {
    'its time is over': () => world.policy('v7', [waits(never)]),
    'a rule that asks is all that is left': () => world.policy('v7', [waits('now < timestamp("2026-11-02T09:30:00Z")'), people]),
  };

  test.each(Object.entries(ends))('when %s, then four eyes and evidence equal those of a call that never waited', (_, policy) => {
    policy();
    const call_id = world.request('pay', { total: 1 }, { authority: acting });
    expect(requested(call_id)).toBeUndefined();
    world.until(world.now_ms + 2 * HOUR_MS);
    const approval = requested(call_id) as ApprovalRequested;
    const ruling = world.records.flatMap((one) => (one.event_type === 'policy_decided' ? [one.event] : [])).at(-1);
    expect(approval).toMatchObject({
      barred: ['robot', 'olga', 'uma'],
      evidence: { rule: ruling?.rule, tier: 'tier_2_approval_required', bundle_version: 'v7', undo: expect.any(String) },
    });
    for (const id of ['olga', 'uma', 'robot']) world.vote(approval.approval_id, id, 'approve');
    expect(granted(call_id)).toBe(false);
    world.vote(approval.approval_id, 'anna', 'approve');
    expect(granted(call_id)).toBe(true);
  });
});

test('given a call whose rule asks after its wait, when a limit that lets calls wait is full by then, then it is denied', () => {
  world.tool('stage', 'stage');
  world.limit('spend', {
    kind: 'cumulative',
    scope: 'agent',
    amount: 'inputs.total',
    window_ms: 168 * HOUR_MS,
    max: 3,
    on_exceeded: 'defer',
  });
  world.policy('v7', [{ ...waits('inputs.total < 2.0'), tools: { names: ['stage'] } }]);
  world.request('stage', { total: 3 });
  const call_id = world.request('stage', { total: 1 });
  world.until(world.now_ms + 2 * HOUR_MS);
  const rulings = world.records.flatMap((one) =>
    one.event_type === 'policy_decided' && one.event.meta.call_id === call_id ? [one.event] : [],
  );
  expect(rulings.map(({ effect, rule }) => [effect, rule])).toEqual([
    ['defer', 'wait'],
    ['deny', 'limit.spend'],
  ]);
});
