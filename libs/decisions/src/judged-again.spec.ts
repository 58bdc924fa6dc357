import type { ApprovalRequirement } from '@countersign/contracts';
import { requirementOf } from '@countersign/domain';
import { beforeEach, describe, expect, test } from 'vitest';
import { LivedWorld } from './testing/lived-world.js';

const MINUTE_MS = 60_000;
const plain: ApprovalRequirement = {
  ...requirementOf({ approver_roles: ['approver'], quorum: 1, expires_after_ms: 60 * MINUTE_MS }),
  four_eyes: false,
};
const escalating: Partial<ApprovalRequirement> = {
  on_expiry: 'escalate',
  escalate_to: [{ approver_roles: [], people: ['boss'], quorum: 1, expires_after_ms: 600 * MINUTE_MS }],
};

let world: LivedWorld;
beforeEach(() => {
  world = new LivedWorld(Date.parse('2026-11-02T09:00Z'));
  world.tools();
});

const asksFor = (version: string, more: Partial<ApprovalRequirement> = {}) =>
  world.policy(version, [{ id: version, tools: { names: ['pay'] }, effect: 'require_approval', approval: { ...plain, ...more } }]);

/** The result for a call: refused by a stricter policy, or run. */
function endOf(call_id: string): string[] {
  world.until(world.now_ms + MINUTE_MS);
  const ends = ['tool_call_rejudged', 'tool_executed'];
  return world.records.flatMap(({ event_type, event }) =>
    event.meta.call_id === call_id && ends.includes(event_type) ? [event_type] : [],
  );
}

describe('given a call granted by an approver, when policy changes before it runs', () => {
  test.each([
    ['asks another role', { approver_roles: ['operator'] }],
    ['asks named people', { approver_roles: [], people: ['boss'] }],
    ['wants four eyes', { four_eyes: true }],
    ['wants more approvals', { quorum: 2 }],
  ])('and %s, then it does not run', (_, more) => {
    asksFor('before');
    const call_id = world.request('pay', { total: 1 });
    asksFor('after', more);
    world.vote(`${call_id}.1`, 'anna', 'approve');
    expect(endOf(call_id)).toEqual(['tool_call_rejudged']);
  });

  test.each([
    ['says the same in another rule', {}],
    ['asks more roles and people', { approver_roles: ['operator', 'approver'], people: ['boss'] }],
    ['wants a reason and has more groups', { ...escalating, reason_required_on_deny: true }],
  ])('and %s, then it runs', (_, more) => {
    asksFor('before');
    const call_id = world.request('pay', { total: 1 });
    asksFor('after', more);
    world.vote(`${call_id}.1`, 'anna', 'approve');
    expect(endOf(call_id)).toEqual(['tool_executed']);
  });

  test('and the two people who approved it are linked to one person, then it does not run', () => {
    asksFor('before', { quorum: 2 });
    const call_id = world.request('pay', { total: 1 });
    const [one, other] = ['anna', 'bert'].map((subject) => ({ issuer: 'local', subject }));
    world.set('person_link_set', { link_id: 'l', one, other, relation: 'same', reason: 'two keys', removed: false });
    // Policy has not read the link yet when it counts the votes; the executor has.
    for (const id of ['anna', 'bert']) world.vote(`${call_id}.1`, id, 'approve');
    expect(endOf(call_id)).toEqual(['tool_call_rejudged']);
  });

  test('and fewer approvals are required, then it runs', () => {
    asksFor('before', { quorum: 2 });
    const call_id = world.request('pay', { total: 1 });
    asksFor('after');
    for (const id of ['anna', 'bert']) world.vote(`${call_id}.1`, id, 'approve');
    expect(endOf(call_id)).toEqual(['tool_executed']);
  });
});

test('given a request that the next group granted, then it runs as long as policy would escalate to that group', () => {
  const requested = () => {
    const call_id = world.request('pay', { total: world.now_ms });
    world.until(world.now_ms + 90 * MINUTE_MS);
    return call_id;
  };
  asksFor('before', escalating);
  const [same, other] = [requested(), requested()];
  world.vote(`${same}.1`, 'boss', 'approve');
  expect(endOf(same)).toEqual(['tool_executed']);
  asksFor('after');
  world.vote(`${other}.1`, 'boss', 'approve');
  expect(endOf(other)).toEqual(['tool_call_rejudged']);
});
