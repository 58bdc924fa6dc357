import { placed, sampleCall, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { evolve, type PlacedEvent } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { type TaskEnvelope, taskOf } from './task-of-call.js';

const call = sampleCall();
const nothing: TaskEnvelope = { requested_at: '2026-11-27T00:00:00.000Z', approval: null, decision: null, error: null };

const source = { topic: 'approval-voted', offset: 1 };
const by = { kind: 'user' as const, id: 'ann', roles: ['approver'] };
const later = { meta: sampleMeta({ hlc: 30 }), revision: 1, source, call };
const expired = placed('approval_expired', { ...later, approval_id: 'app-1', expired_at_ms: 5 }, 'approval-granted');
const cancelled = placed('call_cancelled', { ...later, reason: null, by, final: true, only_before_fire: false }, 'approval-granted');

function stateAfter(ruling: object, ...ends: PlacedEvent[]) {
  const facts: PlacedEvent[] = [
    placed('tool_call_requested', { meta: sampleMeta(), call }, 'tool-call-requested'),
    placed('policy_decided', sampleRuling({ call, ...ruling }), 'policy-decided'),
    ...ends,
  ];
  const [first, ...more] = facts as [PlacedEvent, ...PlacedEvent[]];
  return more.reduce((state, at) => evolve(state, at), evolve(undefined, first));
}

const waits = stateAfter({ effect: 'require_approval', approval_id: 'app-1' });
const approval = { approval_id: 'app-1', approver_roles: ['approver', 'finance'], quorum: 2, expires_at: '2026-11-28T00:00:00.000Z' };
const messageOf = (state: typeof waits, more: Partial<TaskEnvelope>) => taskOf(state, { ...nothing, ...more }).statusMessage;

describe('the message of a task', () => {
  test('names the roles, the number of approvals and the deadline', () => {
    expect(messageOf(waits, { approval })).toBe(
      'Waits for 2 approvals of people with the role approver or finance until 2026-11-28T00:00:00.000Z (app-1)',
    );
  });

  test('names people where the rule names no role', () => {
    expect(messageOf(waits, { approval: { ...approval, approver_roles: [], quorum: 1 } })).toContain('of the people named by the rule');
  });

  test('says less while the request for the approval is not known yet', () => {
    expect(messageOf(waits, { approval: { ...approval, approver_roles: [], quorum: null, expires_at: null } })).toBe(
      'Waits for an approval (app-1)',
    );
  });

  test('says that a joined call waits for the approval of another', () => {
    const joins = stateAfter({ effect: 'require_approval', approval_id: 'app-1', joined_call_id: 'other' });
    expect(messageOf(joins, { approval: { ...approval, quorum: null, expires_at: null } })).toBe(
      'Waits for the approval of an equal call (app-1)',
    );
  });

  test('says until when policy defers a call', () => {
    expect(messageOf(stateAfter({ effect: 'defer' }), { decision: { defer: { timeout_at: '2026-11-27T01:00:00.000Z' } } })).toBe(
      'Deferred by policy until 2026-11-27T01:00:00.000Z',
    );
  });
});

test('people who must vote are no input of the client: the task works, and has no lifetime', () => {
  expect(taskOf(waits, { ...nothing, approval })).toMatchObject({ status: 'working', ttlMs: null, taskId: waits.call_id });
});

const asks = { effect: 'require_approval', approval_id: 'app-1' };

test.each([
  ['denied by a rule', stateAfter({ effect: 'deny' }), 'completed', 'denied: POLICY_DENIED'],
  ['expired', stateAfter(asks, expired), 'completed', 'expired: POLICY_DENIED'],
  ['cancelled', stateAfter(asks, cancelled), 'cancelled', 'cancelled: POLICY_DENIED'],
])('only a cancelled call is a cancelled task: %s', (_, state, status, statusMessage) => {
  expect(taskOf(state, { ...nothing, error: { code: 'POLICY_DENIED', message: 'no' } })).toMatchObject({ status, statusMessage });
});

test('the times of a task are those of the record', () => {
  const { createdAt, lastUpdatedAt } = taskOf(waits, nothing);
  expect(createdAt).toBe(nothing.requested_at);
  expect(new Date(lastUpdatedAt).toISOString()).toBe(lastUpdatedAt);
});
