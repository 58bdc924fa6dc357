import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { aCall, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import { requirementOf } from './requirement.js';
import { type Approval, expiresAt, holderOf, rulingDigest } from './state.js';
import { expireApproval } from './time.js';

const [ann, bob, root, clerk] = [person('ann'), person('bob'), person('root', ['admin']), person('clerk', ['auditor'])];
const two = { ...asks, quorum: 2 };
let policy: RuledPartition;

beforeEach(() => {
  policy = new RuledPartition();
});

const approval = (id = 'c1.1') => policy.state.approvals.get(id) as Approval;
const expire = (id = 'c1.1') => policy.write(expireApproval(approval(id), holderOf(approval(id)).meta));
const reason = () => policy.last('approval_vote_refused').reason;

describe('given a request that needs one approval', () => {
  beforeEach(() => void policy.rule('c1', asks));

  test('an approval grants it for a limited time, bound to the requested inputs', () => {
    const { ruling_digest } = policy.last('approval_requested');
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_granted']);
    expect(policy.last('approval_granted')).toMatchObject({
      meta: { call_id: 'c1' },
      ruling_digest,
      votes: [{ voter_id: 'ann', vote: 'approve' }],
      execute_before_ms: 4000,
      joined_call_id: null,
    });
  });

  test('a denial ends it, with its reason and its author', () => {
    expect(policy.vote('c1.1', ann, 'deny', { reason: 'too dear' })).toEqual(['approval_denied']);
    expect(policy.last('approval_denied')).toMatchObject({ reason: 'too dear', by: ann, revision: 1 });
    expect(policy.state.approvals.size).toBe(0);
  });

  test('the first end wins: every later vote is refused', () => {
    policy.vote('c1.1', ann, 'deny');
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', bob, 'deny')).toEqual(['approval_vote_refused']);
    expect(reason()).toMatch(/not open/);
  });

  test('a request is granted once', () => {
    policy.vote('c1.1', ann, 'approve');
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', bob, 'deny')).toEqual(['approval_vote_refused']);
  });

  test('the requester cannot approve it, whatever their roles', () => {
    expect(policy.vote('c1.1', person('robot', ['admin', 'approver']), 'approve')).toEqual(['approval_vote_refused']);
    expect(reason()).toMatch(/four eyes/);
  });

  test('the requester may deny it with the right role', () => {
    expect(policy.vote('c1.1', person('robot'), 'deny')).toEqual(['approval_denied']);
  });

  test('voting needs a requested role: an admin votes only if that role is requested', () => {
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', clerk, 'deny')).toEqual(['approval_vote_refused']);
    expect(reason()).toMatch(/needs one of the roles approver, or a delegation/);
    expect(policy.vote('c1.1', root, 'approve')).toEqual(['approval_vote_refused']);
    policy.rule('c2', { ...asks, approver_roles: ['admin'] }, { call: aCall({ idempotency_key: 'k2' }) });
    expect(policy.vote('c2.1', root, 'approve')).toEqual(['approval_granted']);
  });

  test.each(['agent', 'service'] as const)(
    'given the key of an %s with every role, when it votes or takes back, then it counts for nothing',
    (kind) => {
      const machine = { kind, id: 'other', roles: ['admin', 'approver'] };
      for (const vote of ['approve', 'deny', 'revoke'] as const) {
        expect(policy.vote('c1.1', machine, vote)).toEqual(['approval_vote_refused']);
        expect(policy.last('approval_vote_refused')).toMatchObject({
          code: 'agent',
          reason: expect.stringContaining(`${kind} cannot vote`),
        });
      }
      policy.standing = [{ from: machine, to: 'clerk' }];
      expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
      expect(approval()).toMatchObject({ status: 'open', votes: [] });
    },
  );

  test('an edit without inputs and a delegation without a target are refused', () => {
    expect(policy.vote('c1.1', ann, 'edit')).toEqual(['approval_vote_refused']);
    expect(policy.last('approval_vote_refused').code).toBe('bad_edit');
    expect(policy.vote('c1.1', ann, 'delegate')).toEqual(['approval_vote_refused']);
    expect(policy.last('approval_vote_refused').code).toBe('bad_delegate');
  });

  test('a vote of another tenant is refused: it finds no request', () => {
    const meta = { ...policy.last('policy_decided').meta, tenant_id: 'evil' };
    expect(policy.vote('c1.1', ann, 'approve', { meta })).toEqual(['approval_vote_refused']);
    expect(reason()).toMatch(/not open/);
    expect(approval().status).toBe('open');
  });

  test('a vote appended after the expiry is refused and ends the request: expiry never grants', () => {
    policy.now_ms = expiresAt(approval());
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused', 'approval_expired']);
    expect(policy.last('approval_expired').expired_at_ms).toBe(11_000);
  });

  test('a vote appended in the last millisecond counts', () => {
    policy.now_ms = expiresAt(approval()) - 1;
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_granted']);
  });

  test('the expiry ends it once, as expired', () => {
    expect(expire()).toEqual(['approval_expired']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
  });

  test('the expiry does not end a granted request', () => {
    policy.vote('c1.1', ann, 'approve');
    expect(expire()).toEqual([]);
  });
});

describe('given a request that needs two approvals', () => {
  beforeEach(() => void policy.rule('c1', two));

  test('two people grant it, in the order of their votes', () => {
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.last('approval_vote_counted')).toMatchObject({ approvals: 1, quorum: 2 });
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_granted']);
    expect(policy.last('approval_granted').votes.map((vote) => vote.voter_id)).toEqual(['ann', 'bob']);
  });

  test('one person counts once', () => {
    policy.vote('c1.1', ann, 'approve');
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(reason()).toMatch(/a different person/);
  });

  test('the same vote again changes nothing', () => {
    policy.vote('c1.1', ann, 'approve', { vote_id: 'v1' });
    expect(policy.vote('c1.1', ann, 'approve', { vote_id: 'v1' })).toEqual([]);
  });

  test('a voter may revoke their own approval and give it again', () => {
    policy.vote('c1.1', ann, 'approve');
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_counted']);
    expect(policy.last('approval_vote_counted').approvals).toBe(0);
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_granted']);
  });

  test("a voter cannot revoke another voter's approval", () => {
    policy.vote('c1.1', ann, 'approve');
    expect(policy.vote('c1.1', bob, 'revoke')).toEqual(['approval_vote_refused']);
  });

  test('one denial is enough', () => {
    policy.vote('c1.1', ann, 'approve');
    expect(policy.vote('c1.1', bob, 'deny')).toEqual(['approval_denied']);
  });

  test('an approval no longer counts once its voter is found to have requested the effect too', () => {
    policy.vote('c1.1', ann, 'approve');
    policy.rule('c2', two, { call: aCall({ principal: ann }) });
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_vote_counted']);
    expect(policy.last('approval_vote_counted').approvals).toBe(1);
  });
});

describe('given a request with its own requirement', () => {
  const requirement = requirementOf({ approver_roles: ['cfo'], quorum: 1, expires_after_ms: 5000 });

  test('the requirement is frozen in the request and applies instead of the three fields beside it', () => {
    policy.rule('c1', { ...asks, requirement });
    expect(policy.last('approval_requested')).toMatchObject({
      requirement,
      approver_roles: ['cfo'],
      expires_at_ms: 6000,
      barred: ['robot'],
    });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.1', person('eve', ['cfo']), 'approve')).toEqual(['approval_granted']);
  });

  test('a named person may vote without any of the roles', () => {
    policy.rule('c1', { ...asks, requirement: { ...requirement, approver_roles: [], people: ['clerk'] } });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(reason()).toMatch(/clerk/);
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_granted']);
  });

  test("the agent's owner cannot approve it, unless four eyes are not required", () => {
    policy.rule('c1', asks, { barred: ['ann'] });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    policy.rule(
      'c2',
      { ...asks, requirement: { ...requirementOf(asks), four_eyes: false } },
      { barred: ['ann'], call: aCall({ idempotency_key: 'k2' }) },
    );
    expect(policy.vote('c2.1', ann, 'approve')).toEqual(['approval_granted']);
  });
});

test('the digest that a grant binds changes with the inputs, the contract and the ruling', () => {
  const digests = [
    rulingDigest(aCall(), asks),
    rulingDigest(aCall({ inputs_digest: 'x' }), asks),
    rulingDigest(aCall({ contract_digest: 'x' }), asks),
    rulingDigest(aCall(), { ...asks, quorum: 2 }),
    rulingDigest(aCall(), { ...asks, rule: 'x' }),
    rulingDigest(aCall(), { ...asks, approver_roles: ['operator'] }),
  ];
  expect(new Set(digests).size).toBe(6);
  expect(rulingDigest(aCall(), asks)).toBe(digests[0]);
});

test('any order and repetition of votes, cancels and expiries gives at most one end, and a grant only with its quorum', () => {
  const step = fc.record({
    what: fc.constantFrom('approve' as const, 'deny' as const, 'revoke' as const, 'edit' as const, 'expire' as const, 'cancel' as const),
    who: fc.constantFrom('ann', 'bob', 'cid', 'robot'),
    id: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 3 }), (steps, quorum) => {
      policy = new RuledPartition();
      policy.rule('c1', { ...asks, quorum });
      for (const { what, who, id } of steps) {
        const open = approval();
        if (what === 'expire') policy.write(open ? expireApproval(open, holderOf(open).meta) : []);
        else if (what === 'cancel') policy.cancel('c1');
        else policy.vote('c1.1', person(who), what, { vote_id: `${who}-${what}-${id}` });
      }
      const ends = policy.written.filter(
        (published) =>
          ['approval_granted', 'approval_denied', 'approval_expired'].includes(published.event_type) ||
          (published.event_type === 'call_cancelled' && published.event.final),
      );
      expect(ends.length).toBeLessThanOrEqual(1);
      const granted = ends.find((published) => published.event_type === 'approval_granted');
      if (granted?.event_type !== 'approval_granted') return;
      const voters = new Set(granted.event.votes.map((vote) => vote.voter_id));
      expect(voters.size).toBeGreaterThanOrEqual(quorum);
      expect(voters.has('robot')).toBe(false);
    }),
    { numRuns: 300 },
  );
});
