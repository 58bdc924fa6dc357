import type { GrantableInputs } from '@countersign/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { aCall, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import { grantableInputs, isWithin } from './grantable.js';
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
const delegation = (from: string, to: string, roles = ['approver']): StandingDelegation => ({ from: person(from, roles), to });

describe('a vote that is delegated', () => {
  beforeEach(() => void policy.rule('c1', { ...asks, quorum: 2 }));

  test('lets a person without the role decide instead of the delegator, but not both', () => {
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', ann, 'delegate', { to: 'clerk' })).toEqual(['approval_vote_counted']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_entitled');
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.last('approval_vote_counted').counted).toMatchObject({ voter_id: 'clerk', on_behalf_of: 'ann' });
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_granted']);
  });

  test('can be revoked together with the approval that was given by it', () => {
    policy.vote('c1.1', ann, 'delegate', { to: 'clerk' });
    policy.vote('c1.1', clerk, 'approve');
    policy.vote('c1.1', ann, 'revoke');
    expect(approval()).toMatchObject({ votes: [], passed: [] });
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_counted']);
  });

  test('never reaches the requester, and cannot be delegated again', () => {
    expect(policy.vote('c1.1', ann, 'delegate', { to: 'robot' })).toEqual(['approval_vote_refused']);
    policy.vote('c1.1', ann, 'delegate', { to: 'clerk' });
    expect(policy.vote('c1.1', clerk, 'delegate', { to: 'cid' })).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('bad_delegate');
  });
});

describe('a standing delegation (out of office)', () => {
  beforeEach(() => void policy.rule('c1', { ...asks, quorum: 2 }, { barred: ['owner'] }));

  test('passes on the right of its giver; it counts once for both', () => {
    policy.standing = [delegation('ann', 'clerk')];
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('twice');
  });

  test('passes on no more than the giver has: without the role there is no right, and four eyes apply to both', () => {
    policy.standing = [delegation('eve', 'clerk', ['auditor'])];
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    policy.standing = [delegation('owner', 'clerk')];
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('four_eyes');
  });
});

describe('expiry and reminders', () => {
  const escalate_to = [{ approver_roles: ['cfo'], people: [], quorum: 1, expires_after_ms: 5000 }];
  const escalating = { ...asks, requirement: { ...requirement, on_expiry: 'escalate' as const, escalate_to } };

  test('expiry hands a request to the next group with a new expiry and no votes; after the last group it expires', () => {
    policy.rule('c1', escalating);
    policy.now_ms = 11_000;
    expect(timeIsOver()).toEqual(['approval_escalated']);
    expect(approval()).toMatchObject({ parts: [{ level: 1, expires_at_ms: 16_000 }], votes: [] });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', person('eva', ['cfo']), 'approve')).toEqual(['approval_granted']);
  });

  test('a vote of the old group that comes too late escalates and does not grant', () => {
    policy.rule('c1', escalating);
    policy.now_ms = 11_000;
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused', 'approval_escalated']);
    policy.now_ms = 16_000;
    expect(timeIsOver()).toEqual(['approval_expired']);
  });

  test('reminds once at each reminder time, and reports a missed target once', () => {
    policy.rule('c1', { ...asks, requirement: { ...requirement, reminders_ms: [1000, 2000, 3000], sla_ms: 2500 } });
    expect(dueTimes(approval())).toEqual([2000, 3000, 4000, 3500]);
    const turn = (now_ms: number) => policy.write(remind(approval(), holderOf(approval()).meta, now_ms));
    expect([turn(1999), turn(2000), turn(2001)]).toEqual([[], ['approval_reminded'], []]);
    expect(turn(3600)).toEqual(['approval_reminded', 'approval_reminded']);
    expect(policy.written.slice(-2)).toMatchObject([{ event: { kind: 'reminder', after_ms: 2000 } }, { event: { kind: 'sla_missed' } }]);
    expect(turn(3700)).toEqual([]);
  });
});

test('a denial needs a reason if the requirement says so', () => {
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

  test('can be revoked by its voter until the call has started: the call is cancelled, and no call joins the grant', () => {
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_counted', 'call_cancelled']);
    expect(policy.last('call_cancelled')).toMatchObject({ final: false, only_before_fire: true });
    expect(policy.rule('c2', asks)).toEqual(['policy_decided', 'approval_requested']);
  });

  test('cannot be revoked by another person, nor once the call has fired', () => {
    expect(policy.vote('c1.1', bob, 'revoke')).toEqual(['approval_vote_refused']);
    policy.start('c1');
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('fired');
  });
});

describe("'approve similar'", () => {
  const inCase = aCall({ case_id: 'k1' });
  const wish = { scope: 'case' as const, for_ms: 7_200_000, uses: 1 };

  test('is recorded with the grant, as narrow and as short as the narrowest wish of the approvers', () => {
    policy.rule('c1', { ...asks, quorum: 2 }, { call: inCase });
    policy.vote('c1.1', ann, 'approve', { grant: { scope: 'tool', for_ms: 1000, uses: 1 } });
    policy.vote('c1.1', bob, 'approve', { grant: wish });
    const similar = policy.last('approval_granted').similar;
    expect(similar).toMatchObject({ scope: 'case', case_id: 'k1', expires_at_ms: policy.now_ms + 1000, granted_by: ['ann', 'bob'] });
  });

  test('is not granted if one approver did not want it, beyond its longest time, or for a missing case', () => {
    policy.rule('c1', { ...asks, quorum: 2 }, { call: inCase });
    policy.vote('c1.1', ann, 'approve', { grant: wish });
    policy.vote('c1.1', bob, 'approve');
    expect(policy.last('approval_granted').similar).toBeNull();
    policy.rule('c2', { ...asks, requirement: { ...requirement, grant_max_ms: 1000 } }, { call: aCall({ idempotency_key: 'k2' }) });
    policy.vote('c2.1', cid, 'approve', { grant: { scope: 'tool', for_ms: 1001, uses: 1 } });
    expect(refusal()).toBe('bad_grant');
    policy.vote('c2.1', cid, 'approve', { grant: { scope: 'case', for_ms: 1000, uses: 1 } });
    expect(refusal()).toBe('bad_grant');
  });

  test('covers the same tool, contract, requester, scope, part and inputs until it expires, and nothing else', () => {
    policy.rule('c1', asks, { call: inCase });
    policy.vote('c1.1', ann, 'approve', { grant: wish });
    const grant = policy.last('approval_granted').similar!;
    const inputs = { equal_digest: 'equal', amounts: [] };
    const at = (more: Parameters<typeof aCall>[0], rule = asks.rule, now_ms = policy.now_ms, its: GrantableInputs | null = inputs) =>
      covers(grant, { call: aCall({ case_id: 'k1', ...more }), inputs: its, now_ms }, rule);
    expect(at({ inputs_digest: 'other', idempotency_key: 'x' })).toBe(true);
    const others = [{ tool: 'x' }, { contract_digest: 'x' }, { case_id: 'k2' }, { case_id: null }, { principal: person('eve') }];
    expect(others.map((more) => at(more))).toEqual(others.map(() => false));
    const times = [grant.expires_at_ms, grant.from_ms - 1];
    expect([at({}, 'another.rule'), ...times.map((ms) => at({}, asks.rule, ms))]).toEqual([false, false, false]);
    expect([at({}, asks.rule, policy.now_ms, null), at({}, asks.rule, policy.now_ms, { ...inputs, equal_digest: 'x' })]).toEqual([
      false,
      false,
    ]);
  });

  test('covers no call whose inputs cannot be compared, and covers nothing if it is from before inputs were recorded', () => {
    policy.rule('c1', asks, { call: inCase, grantable: null });
    expect(policy.vote('c1.1', ann, 'approve', { grant: wish })).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('bad_grant');
    policy.rule('c2', asks, { call: aCall({ case_id: 'k1', idempotency_key: 'k2' }) });
    policy.vote('c2.1', ann, 'approve', { grant: wish });
    const grant = policy.last('approval_granted').similar!;
    const call = { call: inCase, inputs: { equal_digest: 'equal', amounts: [] }, now_ms: policy.now_ms };
    expect(covers(grant, call, asks.rule)).toBe(true);
    expect([covers({ ...grant, inputs: null }, call, asks.rule), covers({ ...grant, rules: [] }, call, asks.rule)]).toEqual([false, false]);
  });
});

describe('inputs covered by a grant', () => {
  const schema = {
    properties: { amount: { 'x-grant': 'amount' }, memo: { 'x-grant': 'free' }, to: { properties: { name: { 'x-grant': 'free' } } } },
  };
  const of = (inputs: unknown) => grantableInputs(JSON.stringify(inputs), schema);
  const approved = { amount: 100, currency: 'EUR', supplier: 'a', memo: 'x', to: { name: 'n', iban: 'i' } };
  const granted = of(approved)!;

  test.each([
    ['the same', {}, true],
    ['less', { amount: 0.01 }, true],
    ['more', { amount: 100.01 }, false],
    ['nothing', { amount: 0 }, false],
    ['a negative amount', { amount: -5 }, false],
    ['a text for a number', { amount: '50' }, false],
    ['another unit', { currency: 'USD' }, false],
    ['another supplier', { supplier: 'b' }, false],
    ['another free text', { memo: 'y', to: { name: 'm', iban: 'i' } }, true],
    ['another part of a group', { to: { name: 'n', iban: 'j' } }, false],
    ['no amount', { amount: undefined }, false],
    ['one input more', { urgent: true }, false],
  ])('%s', (_, more, expected) => {
    expect(isWithin(granted, of({ ...approved, ...more }))).toBe(expected);
  });
});
