import type { ApprovalRequirement } from '@countersign/contracts';
import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { aCall, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import { unansweredPart } from './answered.js';
import type { RequestedPart } from './part.js';
import { requirementOf } from './requirement.js';
import { type Approval, expiresAt, grantedParts, holderOf, openParts } from './state.js';
import { endOfTime } from './time.js';

const [ann, bob, bea] = [person('ann'), person('bob'), person('bea', ['buyer'])];
const both = person('ben', ['approver', 'buyer']);
const part = (rule: string, more: Partial<ApprovalRequirement> = {}): RequestedPart => ({
  rule,
  requirement: { ...requirementOf(asks), ...more },
});
const large = part('over-10000', { quorum: 2 });
const mismatch = part('mismatching-lines', { approver_roles: ['buyer'] });
let policy: RuledPartition;
beforeEach(() => {
  policy = new RuledPartition();
});

const ask = (...parts: RequestedPart[]) => policy.rule('c1', { ...asks, parts });
const approval = () => policy.state.approvals.get('c1.1') as Approval;
const approve = (who: ReturnType<typeof person>) => policy.vote('c1.1', who, 'approve');
const open = () => openParts(approval()).map(({ rule }) => rule);
const timeIsOver = () => policy.write(endOfTime(approval(), holderOf(approval()).meta, policy.now_ms));
const REFUSED = ['approval_vote_refused'];

describe('given a call with approval parts of two rules', () => {
  beforeEach(() => void ask(large, mismatch));

  test('then one vote is not enough: each part needs its own approvals', () => {
    expect(approve(bea)).toEqual(['approval_vote_counted']);
    expect(approve(ann)).toEqual(['approval_vote_counted']);
    expect(policy.last('approval_vote_counted').parts).toEqual([
      { rule: 'over-10000', approvals: 1, quorum: 2 },
      { rule: 'mismatching-lines', approvals: 1, quorum: 1 },
    ]);
    expect(approve(bob)).toEqual(['approval_granted']);
    expect(policy.last('approval_granted').parts.map(({ rule, approved_by }) => [rule, approved_by])).toEqual([
      ['over-10000', ['ann', 'bob']],
      ['mismatching-lines', ['bea']],
    ]);
  });

  test('then a vote counts in each part in which its voter has the right, once', () => {
    approve(both);
    expect(approval().votes[0]?.in_parts.map(({ rule }) => rule)).toEqual(['over-10000', 'mismatching-lines']);
    expect(approve(both)).toEqual(REFUSED);
    expect(approve(ann)).toEqual(['approval_granted']);
  });

  test('then a delegate counts by the delegated right where the delegator has one, and by their own right in other parts', () => {
    policy.standing = [{ from: ann, to: 'bea' }];
    approve(bea);
    expect(approval().votes[0]?.in_parts).toEqual([
      { rule: 'over-10000', on_behalf_of: 'ann' },
      { rule: 'mismatching-lines', on_behalf_of: null },
    ]);
    expect(approve(ann)).toEqual(REFUSED);
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_counted']);
    expect(approval().votes.map(({ in_parts }) => in_parts)).toEqual([[{ rule: 'mismatching-lines', on_behalf_of: null }]]);
  });

  test('then a denial by an entitled voter in an open part denies all, and one in a met part denies nothing', () => {
    approve(bea);
    expect(policy.vote('c1.1', person('bo', ['buyer']), 'deny')).toEqual(REFUSED);
    expect(policy.vote('c1.1', ann, 'deny')).toEqual(['approval_denied']);
  });

  test('then a passed right is valid only in its parts', () => {
    policy.vote('c1.1', ann, 'delegate', { to: 'clerk' });
    approve(person('clerk', []));
    expect(approval().votes[0]?.in_parts).toEqual([{ rule: 'over-10000', on_behalf_of: 'ann' }]);
  });

  test('then folding the same request again gives the same state', () => {
    approve(both);
    const again = new RuledPartition();
    for (const published of policy.written) again.fold(published);
    expect(again.state.approvals).toEqual(policy.state.approvals);
  });
});

describe('given parts with different expiry times', () => {
  const operators = { approver_roles: ['operator'], people: [], quorum: 1, expires_after_ms: 5000 };
  const short = part('short', { on_expiry: 'escalate', escalate_to: [operators], expires_after_ms: 2000 });
  const long = part('long', { approver_roles: ['buyer'], expires_after_ms: 9000 });

  test('then a met part does not expire, and the first unmet part to expire denies', () => {
    ask(part('short', { expires_after_ms: 2000 }), long);
    approve(ann);
    expect(expiresAt(approval())).toBe(10_000);
    policy.now_ms = 5000;
    expect(open()).toEqual(['long']);
    policy.now_ms = 10_000;
    expect(timeIsOver()).toEqual(['approval_expired']);
  });

  test('then the first unmet part escalates, while the others keep their votes', () => {
    ask(short, long);
    approve(bea);
    policy.now_ms = 3000;
    expect(timeIsOver()).toEqual(['approval_escalated']);
    expect(policy.last('approval_escalated')).toMatchObject({ rule: 'short', level: 1 });
    expect(approval().votes.map(({ voter_id }) => voter_id)).toEqual(['bea']);
    expect(approve(ann)).toEqual(REFUSED);
    expect(approve(person('otto', ['operator']))).toEqual(['approval_granted']);
  });

  test('then a vote after the expiry of one part counts in the others', () => {
    ask(short, long);
    policy.now_ms = 3000;
    expect(approve(bea)).toEqual(['approval_escalated', 'approval_vote_counted']);
    expect(open()).toEqual(['short']);
    policy.now_ms = 8000;
    expect(approve(person('otto', ['operator']))).toEqual(['approval_vote_refused', 'approval_expired']);
  });

  test('then a revoked approval reopens its part with its original expiry', () => {
    ask(part('short', { expires_after_ms: 2000 }), long);
    approve(ann);
    policy.vote('c1.1', ann, 'revoke');
    expect([open(), expiresAt(approval())]).toEqual([['short', 'long'], 3000]);
  });
});

describe('given a rule that requires different people', () => {
  test('then no voter counts in two parts, in any order of votes', () => {
    ask(part('a', { distinct: true }), part('b', { approver_roles: ['buyer'] }));
    expect(approve(both)).toEqual(['approval_vote_counted']);
    expect(approve(bea)).toEqual(['approval_granted']);
  });

  test('then a person who fits either part makes room for one who fits only one', () => {
    ask(part('a', { distinct: true }), part('b', { approver_roles: ['buyer'] }));
    approve(both);
    expect(open()).toEqual(['b']);
    expect(approve(ann)).toEqual(['approval_granted']);
  });
});

describe('rights and exclusion', () => {
  test('rights depend on issuer and subject: a bare name is a local person', () => {
    ask(part('a', { approver_roles: [], people: ['alice', 'https://idp.example|carol'] }));
    const [alice, carol] = [person('alice', []), person('carol', [])];
    expect(policy.vote('c1.1', alice, 'approve', { voter_issuer: 'https://idp.example' })).toEqual(REFUSED);
    expect(policy.vote('c1.1', carol, 'approve')).toEqual(REFUSED);
    expect(policy.vote('c1.1', person('https://idp.example|carol', []), 'approve')).toEqual(REFUSED);
    expect(policy.vote('c1.1', carol, 'approve', { voter_issuer: 'https://idp.example' })).toEqual(['approval_granted']);
  });

  test.each(['ALICE', ' alice', 'ａｌｉｃｅ'])('exclusion depends only on the normalized subject: %s', (id) => {
    ask(part('a', { quorum: 2 }));
    approve(person('alice'));
    expect(policy.vote('c1.1', person(id), 'approve', { voter_issuer: 'https://idp.example' })).toEqual(REFUSED);
    expect(policy.last('approval_vote_refused').code).toBe('twice');
  });

  test('four eyes apply to the requester with any issuer', () => {
    policy.rule('c1', asks, { call: aCall({ principal: person('alice') }), barred: ['Olga'] });
    for (const id of ['Alice', 'olga'])
      expect(policy.vote('c1.1', person(id), 'approve', { voter_issuer: 'https://idp.example' })).toEqual(REFUSED);
    expect(policy.last('approval_vote_refused').code).toBe('four_eyes');
  });

  test('four eyes of one part do not exclude from another', () => {
    policy.rule('c1', { ...asks, parts: [part('a'), part('b', { four_eyes: false })] }, { barred: ['ann'] });
    approve(ann);
    expect(approval().votes[0]?.in_parts.map(({ rule }) => rule)).toEqual(['b']);
    expect(approve(bob)).toEqual(['approval_granted']);
  });
});

const RUNS = { numRuns: histories(200, 2_000) };
const roles = ['r1', 'r2', 'r3'];
const aPart = fc.record({
  approver_roles: fc.subarray(roles, { minLength: 1 }),
  quorum: fc.integer({ min: 1, max: 3 }),
  four_eyes: fc.boolean(),
});
const someParts = fc.array(aPart, { minLength: 1, maxLength: 4 });
const voters = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'robot'), roles: fc.subarray(roles) }), { maxLength: 6 });
const named = (parts: Partial<ApprovalRequirement>[], distinct: boolean, names = parts.map((_, at) => `r${at}`)): RequestedPart[] =>
  parts.map((more, at) => part(names[at] as string, { ...more, distinct }));

/** True if these people, voting in this order, get a call granted. */
function grants(parts: readonly RequestedPart[], people: readonly { id: string; roles: string[] }[]): boolean {
  const partition = new RuledPartition();
  partition.rule('c1', { ...asks, parts });
  return people.some(({ id, roles: of }) => partition.vote('c1.1', person(id, of), 'approve').includes('approval_granted'));
}

describe('for any parts and any voters', () => {
  test('one more part never grants a call that was not granted before', () => {
    fc.assert(
      fc.property(someParts, aPart, voters, fc.boolean(), fc.boolean(), (parts, added, people, distinct, also) => {
        const more = [...named(parts, distinct), part('added', { ...added, distinct: also })];
        if (grants(more, people)) expect(grants(named(parts, distinct), people)).toBe(true);
      }),
      RUNS,
    );
  });

  test('a higher quorum never grants a call that was not granted before', () => {
    fc.assert(
      fc.property(someParts, voters, fc.boolean(), fc.nat(), (parts, people, distinct, which) => {
        const higher = parts.map((one, at) => (at === which % parts.length ? { ...one, quorum: one.quorum + 1 } : one));
        if (grants(named(higher, distinct), people)) expect(grants(named(parts, distinct), people)).toBe(true);
      }),
      RUNS,
    );
  });

  test('neither ids nor the order of parts affect who can grant', () => {
    const twice = someParts.chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));
    fc.assert(
      fc.property(twice, voters, fc.boolean(), ([parts, shuffled], people, distinct) => {
        const names = shuffled.map((_, at) => `z${9 - at}`);
        expect(grants(named(shuffled, distinct, names), people)).toBe(grants(named(parts, distinct), people));
      }),
      RUNS,
    );
  });

  test('a grant satisfies the requested parts, but not a part with a higher quorum', () => {
    fc.assert(
      fc.property(someParts, voters, fc.boolean(), (parts, people, distinct) => {
        const requestedParts = named(parts, distinct);
        const partition = new RuledPartition();
        partition.rule('c1', { ...asks, parts: requestedParts });
        const granted = people.some(({ id, roles: of }) => partition.vote('c1.1', person(id, of), 'approve').includes('approval_granted'));
        if (!granted) return;
        const { votes, parts: recorded } = partition.last('approval_granted');
        const given = grantedParts(partition.state.approvals.get('c1.1') as Approval, votes);
        expect(given).toEqual(recorded);
        expect(unansweredPart(requestedParts, given)).toBeUndefined();
        expect(unansweredPart([part('more', { approver_roles: roles, quorum: 9 })], given)).toBeDefined();
      }),
      RUNS,
    );
  });
});
