import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { requirementOf } from '../approval/requirement.js';
import { holderOf } from '../approval/state.js';
import { expireApproval } from '../approval/time.js';
import { aCall, allows, aMeta, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import { evolveRulings } from './evolve.js';
import { initialRulings, type RulingState } from './state.js';

const [ann, bob] = [person('ann'), person('bob')];
let policy: RuledPartition;

beforeEach(() => {
  policy = new RuledPartition();
});

const ruling = () => policy.last('policy_decided');

describe('one ruling per call and revision', () => {
  test('an allowed call may run until its ruling or its deadline expires, whichever is earlier', () => {
    expect(policy.rule('c1', allows)).toEqual(['policy_decided']);
    expect(ruling()).toMatchObject({ effect: 'allow', revision: 1, decision_id: 'c1.1', execute_before_ms: 1500, config_offset: 7 });
    policy.rule('c2', allows, { call: aCall({ deadline_ms: 1200 }) });
    expect(ruling().execute_before_ms).toBe(1200);
  });

  test('a repeated request is not ruled on again', () => {
    policy.rule('c1', allows);
    expect(policy.rule('c1', allows)).toEqual([]);
    policy.rule('c2', asks);
    expect(policy.rule('c2', asks)).toEqual([]);
  });

  test('a denied call is not remembered', () => {
    policy.rule('c1', { ...asks, effect: 'deny' });
    expect([policy.state.allowed.size, policy.state.approvals.size]).toEqual([0, 0]);
  });

  test('an approval request expires no later than the deadline of its call', () => {
    policy.rule('c1', asks, { call: aCall({ deadline_ms: 3000 }) });
    expect(policy.last('approval_requested').expires_at_ms).toBe(3000);
  });

  test('the written records have ascending hlc, later than their causes', () => {
    policy.rule('c1', asks, { cause: aMeta('c1', 9_000_000_000) });
    policy.rule('c2', allows, { call: aCall({ idempotency_key: 'other' }) });
    const order = policy.written.map((published) => published.event.meta.hlc);
    expect(order).toEqual([9_000_000_001, 9_000_000_002, 9_000_000_003]);
  });
});

describe('a call with a live key', () => {
  test('joins the open approval and is granted with it, each call once', () => {
    policy.rule('c1', asks);
    expect(policy.rule('c2', asks)).toEqual(['policy_decided']);
    expect(ruling()).toMatchObject({ effect: 'require_approval', approval_id: 'c1.1', joined_call_id: 'c1' });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_granted', 'approval_granted']);
    expect(policy.last('approval_granted')).toMatchObject({ meta: { call_id: 'c2' }, decision_id: 'c2.1', joined_call_id: 'c1' });
  });

  test.each([
    ['deny', 'approval_denied'],
    ['expire', 'approval_expired'],
  ] as const)('ends with it: %s', (how, event_type) => {
    policy.rule('c1', asks);
    policy.rule('c2', asks);
    const open = policy.state.approvals.get('c1.1')!;
    const ends = how === 'deny' ? policy.vote('c1.1', ann, 'deny') : policy.write(expireApproval(open, holderOf(open).meta));
    expect(ends).toEqual([event_type, event_type]);
  });

  test('is granted the approved inputs, not its own wording', () => {
    policy.rule('c1', asks, { call: aCall({ inputs_json: '{"memo":"seen"}', inputs_digest: 'seen' }) });
    policy.rule('c2', asks, { call: aCall({ inputs_json: '{"memo":"other"}', inputs_digest: 'other', run_id: 'r2' }) });
    policy.vote('c1.1', ann, 'approve');
    expect(policy.last('approval_granted').call).toMatchObject({ inputs_json: '{"memo":"seen"}', inputs_digest: 'seen', run_id: 'r2' });
  });

  test('is granted at once if the approval was granted and its call has not ended', () => {
    policy.rule('c1', asks);
    policy.vote('c1.1', ann, 'approve');
    expect(policy.rule('c2', asks)).toEqual(['policy_decided', 'approval_granted']);
    expect(policy.last('approval_granted')).toMatchObject({
      meta: { call_id: 'c2' },
      votes: [{ voter_id: 'ann' }],
      execute_before_ms: 4000,
    });
  });

  test('needs a new approval if its requester, or a person who answers for the requester, gave the approval', () => {
    policy.rule('c1', asks);
    policy.vote('c1.1', ann, 'approve');
    const by = (id: string) => ({ call: aCall({ principal: person(id) }) });
    expect(policy.rule('c2', asks, by('ann'))).toEqual(['policy_decided', 'approval_requested']);
    expect(policy.rule('c3', asks, by('ANN'))).not.toContain('approval_granted');
    policy.rule('d1', asks, { call: aCall({ idempotency_key: 'k2' }) });
    policy.vote('d1.1', ann, 'approve');
    const owned = { call: aCall({ idempotency_key: 'k2' }), barred: ['ann'] };
    expect(policy.rule('d2', asks, owned)).toEqual(['policy_decided', 'approval_requested']);
  });

  test('joins the grant nevertheless if enough other people approved it', () => {
    policy.rule('c1', { ...asks, quorum: 1 });
    policy.vote('c1.1', ann, 'approve');
    expect(policy.rule('c2', asks, { call: aCall({ principal: person('bob') }) })).toEqual(['policy_decided', 'approval_granted']);
  });

  test('needs a new approval if the grant has expired, or has fewer approvals than policy now requires', () => {
    policy.rule('c1', asks);
    policy.vote('c1.1', ann, 'approve');
    expect(policy.rule('c2', { ...asks, quorum: 2 })).toEqual(['policy_decided', 'approval_requested']);
    policy.now_ms = 4000;
    expect(policy.rule('c3', asks, { call: aCall({ idempotency_key: 'k3' }) })).toEqual(['policy_decided', 'approval_requested']);
  });

  test.each([
    ['others', { approver_roles: ['operator'] }],
    ['four eyes', { four_eyes: true }],
  ])('needs a new approval if policy now requires other approvers: %s', (_, more) => {
    const requirement = { ...requirementOf(asks), four_eyes: false };
    policy.rule('c1', { ...asks, requirement });
    policy.vote('c1.1', ann, 'approve');
    expect(policy.rule('c2', { ...asks, requirement: { ...requirement, ...more } })).toEqual(['policy_decided', 'approval_requested']);
  });

  test('needs a new approval once the granted call has ended and its row no longer holds the key', () => {
    policy.rule('c1', asks);
    policy.vote('c1.1', ann, 'approve');
    policy.end('c1');
    expect(policy.rule('c2', asks)).toEqual(['policy_decided', 'approval_requested']);
  });

  test('is allowed to get the answer of the call that holds the key', () => {
    policy.rule('c2', asks, { key_holder: { call_id: '0-x', same_inputs: true } });
    expect(ruling()).toMatchObject({ effect: 'allow', tier: 'tier_2_approval_required', joined_call_id: '0-x', approval_id: null });
  });

  test('with other inputs is denied because the key is reused', () => {
    policy.rule('c2', asks, { key_holder: { call_id: '0-x', same_inputs: false } });
    expect(ruling()).toMatchObject({ effect: 'deny', reason: { code: 'VALIDATION_ERROR' } });
    policy.rule('c3', asks);
    policy.rule('c4', asks, { call: aCall({ discriminating_digest: 'ff' }) });
    expect(ruling()).toMatchObject({ meta: { call_id: 'c4' }, effect: 'deny', reason: { code: 'VALIDATION_ERROR' } });
  });

  test('is denied by its own judgement, whatever the other call got', () => {
    policy.rule('c1', asks);
    policy.rule('c2', { ...asks, effect: 'deny' });
    expect(ruling()).toMatchObject({ effect: 'deny', joined_call_id: null });
  });
});

describe('cancel', () => {
  test('ends a waiting call after the calls that joined it: its record closes the approval', () => {
    policy.rule('c1', asks);
    policy.rule('c2', asks);
    expect(policy.cancel('c1')).toEqual(['call_cancelled', 'call_cancelled']);
    expect(policy.last('call_cancelled')).toMatchObject({ final: true, meta: { call_id: 'c1' }, revision: 1 });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
  });

  test('of a joined call does not affect the other calls', () => {
    policy.rule('c1', asks);
    policy.rule('c2', asks);
    expect(policy.cancel('c2')).toEqual(['call_cancelled']);
    expect(policy.cancel('c2')).toEqual([]);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_granted']);
  });

  test('of an allowed or granted call is left to the executor', () => {
    policy.rule('c1', allows);
    expect(policy.cancel('c1')).toEqual(['call_cancelled']);
    expect(policy.last('call_cancelled')).toMatchObject({ final: false, revision: 1, call: { tool: 'pay' } });
    policy.rule('c2', asks, { call: aCall({ idempotency_key: 'k2' }) });
    policy.vote('c2.1', ann, 'approve');
    policy.cancel('c2');
    expect(policy.last('call_cancelled')).toMatchObject({ final: false, meta: { call_id: 'c2' } });
  });

  test('only before the fire is left to the executor as such', () => {
    policy.rule('c1', allows);
    policy.cancel('c1', 'acme', { only_before_fire: true });
    expect(policy.last('call_cancelled')).toMatchObject({ final: false, only_before_fire: true });
    policy.rule('c2', allows, { call: aCall({ idempotency_key: 'k2' }) });
    policy.cancel('c2');
    expect(policy.last('call_cancelled')).toMatchObject({ final: false, only_before_fire: false });
  });

  test('has no effect on a call that has ended, was denied or is unknown, nor on another tenant', () => {
    policy.rule('c1', allows);
    policy.end('c1');
    policy.rule('c2', { ...asks, effect: 'deny' });
    policy.rule('c3', asks);
    policy.rule('c4', allows);
    const drafts = [
      policy.cancel('c1'),
      policy.cancel('c2'),
      policy.cancel('nobody'),
      policy.cancel('c3', 'evil'),
      policy.cancel('c4', 'evil'),
    ];
    expect(drafts.flat()).toEqual([]);
  });
});

describe('a call that the executor refused to fire', () => {
  const again = (judgement: typeof asks, revision = 2) => policy.rule('c1', judgement, { revision });

  test('gets the next revision: a denial or an approval request', () => {
    policy.rule('c1', allows);
    expect(again({ ...asks, effect: 'deny' })).toEqual(['policy_decided']);
    expect([ruling().revision, policy.state.allowed.size]).toEqual([2, 0]);
    policy = new RuledPartition();
    policy.rule('c1', allows);
    expect(again(asks)).toEqual(['policy_decided', 'approval_requested']);
    expect(policy.last('approval_requested')).toMatchObject({ approval_id: 'c1.2', revision: 2 });
    expect(again(asks)).toEqual([]);
  });

  test('needs a new approval: neither its old one nor that of a call that it joined counts', () => {
    policy.rule('c1', asks);
    policy.rule('c2', asks);
    policy.vote('c1.1', ann, 'approve');
    expect(policy.rule('c2', { ...asks, quorum: 2 }, { revision: 2 })).toEqual(['policy_decided', 'approval_requested']);
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c2.2', bob, 'approve')).toEqual(['approval_vote_counted']);
  });
});

test('a doubt is resolved by an operator or admin with a reason; any other attempt is recorded as refused', () => {
  expect(policy.resolve('c1', person('op', ['operator']), 'seen in the ledger')).toEqual(['resolution_allowed']);
  expect(policy.last('resolution_allowed')).toMatchObject({ by: { id: 'op' }, reason: 'seen in the ledger' });
  expect(policy.resolve('c1', ann, 'seen')).toEqual(['security_event_recorded']);
  expect(policy.resolve('c1', person('op', ['operator']), ' ')).toEqual(['security_event_recorded']);
});

const plain = (state: RulingState) => ({
  approvals: [...state.approvals].sort(),
  approval_of_call: [...state.approval_of_call].sort(),
  approval_of_key: [...state.approval_of_key].sort(),
  allowed: [...state.allowed].sort(),
});

test('folding its own records, before the ends of calls, restores the state', () => {
  const call = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5');
  const step = fc.record({
    what: fc.constantFrom('ask', 'allow', 'again', 'approve', 'deny', 'revoke', 'cancel', 'expire', 'end'),
    call,
    voter: fc.constantFrom(ann, bob),
    key: fc.constantFrom('k1', 'k2'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      policy = new RuledPartition();
      const ended = new Set<string>();
      for (const { what, call: call_id, voter, key } of steps) {
        if (ended.has(call_id)) continue;
        const more = { call: aCall({ idempotency_key: key }) };
        const id = policy.state.approval_of_call.get(call_id);
        const known = policy.state.allowed.get(call_id)?.revision;
        if (what === 'ask') policy.rule(call_id, { ...asks, quorum: 2 }, more);
        else if (what === 'allow') policy.rule(call_id, allows, more);
        else if (what === 'again' && known !== undefined) policy.rule(call_id, asks, { ...more, revision: known + 1 });
        else if (what === 'cancel') policy.cancel(call_id);
        else if (what === 'expire' && id) policy.write(expireApproval(policy.state.approvals.get(id)!, aMeta(call_id)));
        else if (what === 'end' && known !== undefined) {
          policy.end(call_id);
          ended.add(call_id);
        } else if (id && (what === 'approve' || what === 'deny' || what === 'revoke')) policy.vote(id, voter, what);
      }
      const refolded = initialRulings();
      for (const published of policy.written) evolveRulings(refolded, published, undefined);
      const replay = new RuledPartition();
      Object.assign(replay, { state: refolded });
      for (const call_id of ended) replay.end(call_id);
      expect(plain(refolded)).toEqual(plain(policy.state));
    }),
    { numRuns: 500 },
  );
});
