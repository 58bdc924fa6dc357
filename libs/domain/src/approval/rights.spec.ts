import { beforeEach, describe, expect, test } from '@jest/globals';
import { aCall, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import { requirementOf } from './requirement.js';
import { covers } from './similar.js';
import { type Approval, holderOf } from './state.js';
import { dueTimes, endOfTime, remind } from './time.js';
import type { StandingDelegation } from './voting-right.js';

const [ann, bob, cid, clerk] = [person('ann'), person('bob'), person('cid'), person('clerk', ['auditor'])];
const requirement = requirementOf(asks);
let policy: RuledPartition;
beforeEach(() => {
  policy = new RuledPartition();
});

const approval = (id = 'c1.1') => policy.state.approvals.get(id) as Approval;
const refusal = () => policy.last('approval_vote_refused').code;
const timeIsOver = () => policy.write(endOfTime(approval(), holderOf(approval()).meta, policy.now_ms));
const away = (from: string, to: string, roles = ['approver']): StandingDelegation => ({ from: person(from, roles), to });

describe('a vote that is passed on', () => {
  beforeEach(() => void policy.rule('c1', { ...asks, quorum: 2 }));

  test('lets somebody without the role decide in the place of who has it, and not both', () => {
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', ann, 'delegate', { to: 'clerk' })).toEqual(['approval_vote_counted']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_entitled');
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.last('approval_vote_counted').counted).toMatchObject({ voter_id: 'clerk', on_behalf_of: 'ann' });
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_granted']);
  });

  test('is taken back with what was done with it', () => {
    policy.vote('c1.1', ann, 'delegate', { to: 'clerk' });
    policy.vote('c1.1', clerk, 'approve');
    policy.vote('c1.1', ann, 'revoke');
    expect(approval()).toMatchObject({ votes: [], passed: [] });
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_counted']);
  });

  test('never reaches who asked, and is not passed on again', () => {
    expect(policy.vote('c1.1', ann, 'delegate', { to: 'robot' })).toEqual(['approval_vote_refused']);
    policy.vote('c1.1', ann, 'delegate', { to: 'clerk' });
    expect(policy.vote('c1.1', clerk, 'delegate', { to: 'cid' })).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('bad_delegate');
  });
});

describe('a standing delegation (out of office)', () => {
  beforeEach(() => void policy.rule('c1', { ...asks, quorum: 2 }, { barred: ['owner'] }));

  test('gives the right of its giver, once for both of them', () => {
    policy.standing = [away('ann', 'clerk')];
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('twice');
  });

  test('gives no more than its giver had: no role, no right; four eyes hold for both', () => {
    policy.standing = [away('eve', 'clerk', ['auditor'])];
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    policy.standing = [away('owner', 'clerk')];
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('four_eyes');
  });
});

describe('time', () => {
  const escalate_to = [{ approver_roles: ['cfo'], people: [], quorum: 1, expires_after_ms: 5000 }];
  const escalating = { ...asks, requirement: { ...requirement, on_expiry: 'escalate' as const, escalate_to } };

  test('hands a request to the next group with new time, votes start anew; after the last group it expires', () => {
    policy.rule('c1', escalating);
    policy.now_ms = 11_000;
    expect(timeIsOver()).toEqual(['approval_escalated']);
    expect(approval()).toMatchObject({ level: 1, approver_roles: ['cfo'], expires_at_ms: 16_000, votes: [] });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', person('eva', ['cfo']), 'approve')).toEqual(['approval_granted']);
  });

  test('a vote of the old group that comes too late escalates, it does not grant', () => {
    policy.rule('c1', escalating);
    policy.now_ms = 11_000;
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused', 'approval_escalated']);
    policy.now_ms = 16_000;
    expect(timeIsOver()).toEqual(['approval_expired']);
  });

  test('reminds once for each time that has come, and says once that the target was missed', () => {
    policy.rule('c1', { ...asks, requirement: { ...requirement, reminders_ms: [1000, 2000, 3000], sla_ms: 2500 } });
    expect(dueTimes(approval())).toEqual([2000, 3000, 4000, 3500]);
    const turn = (now_ms: number) => policy.write(remind(approval(), holderOf(approval()).meta, now_ms));
    expect([turn(1999), turn(2000), turn(2001)]).toEqual([[], ['approval_reminded'], []]);
    expect(turn(3600)).toEqual(['approval_reminded', 'approval_reminded']);
    expect(policy.written.slice(-2)).toMatchObject([{ event: { kind: 'reminder', after_ms: 2000 } }, { event: { kind: 'sla_missed' } }]);
    expect(turn(3700)).toEqual([]);
  });
});

test('a denial needs a reason where the requirement says so', () => {
  policy.rule('c1', { ...asks, requirement: { ...requirement, reason_required_on_deny: true } });
  expect(policy.vote('c1.1', ann, 'deny', { reason: ' ' })).toEqual(['approval_vote_refused']);
  expect(refusal()).toBe('reason_required');
  expect(policy.vote('c1.1', ann, 'deny', { reason: 'too dear' })).toEqual(['approval_denied']);
});

describe('an approval that was granted', () => {
  beforeEach(() => {
    policy.rule('c1', asks);
    policy.vote('c1.1', ann, 'approve');
  });

  test('can be taken back by who gave it until the call has fired: the call is cancelled, and nobody joins the grant', () => {
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_counted', 'call_cancelled']);
    expect(policy.last('call_cancelled')).toMatchObject({ final: false, only_before_fire: true });
    expect(policy.rule('c2', asks)).toEqual(['policy_decided', 'approval_requested']);
  });

  test('cannot be taken back by another, nor once the call has fired', () => {
    expect(policy.vote('c1.1', bob, 'revoke')).toEqual(['approval_vote_refused']);
    policy.start('c1');
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('fired');
  });
});

describe("'approve similar'", () => {
  const inCase = aCall({ case_id: 'k1' });
  const wish = { scope: 'case' as const, for_ms: 7_200_000 };

  test('comes with the grant, as narrow and as short as the narrowest of those who approved', () => {
    policy.rule('c1', { ...asks, quorum: 2 }, { call: inCase });
    policy.vote('c1.1', ann, 'approve', { grant: { scope: 'tool', for_ms: 1000 } });
    policy.vote('c1.1', bob, 'approve', { grant: wish });
    const similar = policy.last('approval_granted').similar;
    expect(similar).toMatchObject({ scope: 'case', case_id: 'k1', expires_at_ms: policy.now_ms + 1000, granted_by: ['ann', 'bob'] });
  });

  test('does not come where one of them did not want it, beyond its longest time, or for a case that is not there', () => {
    policy.rule('c1', { ...asks, quorum: 2 }, { call: inCase });
    policy.vote('c1.1', ann, 'approve', { grant: wish });
    policy.vote('c1.1', bob, 'approve');
    expect(policy.last('approval_granted').similar).toBeNull();
    policy.rule('c2', { ...asks, requirement: { ...requirement, grant_max_ms: 1000 } }, { call: aCall({ idempotency_key: 'k2' }) });
    policy.vote('c2.1', cid, 'approve', { grant: { scope: 'tool', for_ms: 1001 } });
    expect(refusal()).toBe('bad_grant');
    policy.vote('c2.1', cid, 'approve', { grant: { scope: 'case', for_ms: 1000 } });
    expect(refusal()).toBe('bad_grant');
  });

  test('covers the same tool, contract, requester, scope and rule until its time is over, and nothing else', () => {
    policy.rule('c1', asks, { call: inCase });
    policy.vote('c1.1', ann, 'approve', { grant: wish });
    const grant = policy.last('approval_granted').similar!;
    const at = (more: Parameters<typeof aCall>[0], rule = asks.rule, now_ms = policy.now_ms) =>
      covers(grant, aCall({ case_id: 'k1', ...more }), rule, now_ms);
    expect(at({ inputs_digest: 'other', idempotency_key: 'x' })).toBe(true);
    const others = [{ tool: 'x' }, { contract_digest: 'x' }, { case_id: 'k2' }, { case_id: null }, { principal: person('eve') }];
    expect(others.map((more) => at(more))).toEqual(others.map(() => false));
    expect([at({}, 'another.rule'), at({}, asks.rule, grant.expires_at_ms), at({}, asks.rule, grant.from_ms - 1)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
