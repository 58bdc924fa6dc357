import { expect, test } from 'vitest';
import type { Approval, AskedPart } from './approval.js';
import { approveRight, denyRight, isLastApproval, standingVote } from './who-may-vote.js';

const part = (more: Partial<AskedPart> = {}): AskedPart => ({
  ...{ rule: 'r1', text: 'A rule', described: false, approver_roles: ['approver'], people: [], approvals: 0, quorum: 2, missing: 2 },
  ...{ met: false, can_decide: [], can_decide_more: false, voted: [], barred: [], shortfall: null, level: 0 },
  ...{ expires_at: '2026-01-01T00:00:00Z', time_left_ms: 1, afterwards: { kind: 'deny', approver_roles: [], people: [] } },
  ...more,
});
const asked = (parts: AskedPart[], more: Partial<Approval> = {}) =>
  ({ status: 'pending', asked_because: parts, barred: [], distinct: false, call: { tool: 'pay' }, ...more }) as unknown as Approval;
const ann = { kind: 'user', id: 'ann', roles: ['approver'] };
const because = (right: ReturnType<typeof approveRight>) => (right.may ? undefined : right.because);

test('a person with the role may approve and deny', () => {
  expect(approveRight(asked([part()]), ann)).toEqual({ may: true });
  expect(denyRight(asked([part()]), ann)).toEqual({ may: true });
});

test('a person who is named may vote without the role', () => {
  expect(approveRight(asked([part({ approver_roles: [], people: ['ann'] })]), { ...ann, roles: [] }).may).toBe(true);
});

test('without the role it says which role is needed', () => {
  expect(because(approveRight(asked([part()]), { ...ann, roles: ['auditor'] }))).toBe('This needs the role approver.');
});

test('an administrator votes only with the role', () => {
  expect(approveRight(asked([part()]), { ...ann, roles: ['admin'] }).may).toBe(false);
});

test('agents and services never vote', () => {
  for (const kind of ['agent', 'service']) expect(approveRight(asked([part()]), { ...ann, kind }).may).toBe(false);
});

test('four eyes exclude from approving, not from denying', () => {
  const barred = asked([part({ barred: [{ id: 'ann', because: 'owner', text: '' }] })]);
  expect(because(approveRight(barred, ann))).toContain('you are responsible for the agent');
  expect(denyRight(barred, ann).may).toBe(true);
});

test('who has approved cannot approve again, and can take the approval back', () => {
  const voted = asked([part({ voted: [{ voter_id: 'ann', vote: 'approve', voted_at: null, on_behalf_of: null }] })]);
  expect(because(approveRight(voted, ann))).toContain('You have approved');
  expect(standingVote(voted, ann)).toBe('approve');
});

test('who has passed the vote on takes it back first', () => {
  const passed = asked([part({ voted: [{ voter_id: 'ann', vote: 'delegate', voted_at: null, on_behalf_of: null }] })]);
  expect(because(denyRight(passed, ann))).toContain('passed your vote on');
  expect(standingVote(passed, ann)).toBe('delegate');
});

test('a delegation gives the right for its tools only', () => {
  const carl = { kind: 'user', id: 'carl', roles: [] };
  const giver = { id: 'ann', roles: ['approver'], tools: ['pay'] };
  expect(approveRight(asked([part()]), carl, [giver])).toEqual({ may: true, on_behalf_of: 'ann' });
  expect(approveRight(asked([part()]), carl, [{ ...giver, tools: ['other'] }]).may).toBe(false);
});

test('nobody votes on a request that has ended', () => {
  expect(because(approveRight(asked([part()], { status: 'denied' }), ann))).toBe('The request has ended.');
});

test('a vote is the last one if it meets every part', () => {
  expect(isLastApproval(asked([part({ missing: 1 })]), ann)).toBe(true);
  expect(isLastApproval(asked([part({ missing: 2 })]), ann)).toBe(false);
  expect(isLastApproval(asked([part({ missing: 1 }), part({ rule: 'r2', missing: 1, approver_roles: ['officer'] })]), ann)).toBe(false);
  expect(isLastApproval(asked([part({ missing: 1 }), part({ rule: 'r2', missing: 1 })]), ann)).toBe(true);
  expect(isLastApproval(asked([part({ missing: 1 }), part({ rule: 'r2', missing: 1 })], { distinct: true }), ann)).toBe(false);
});
