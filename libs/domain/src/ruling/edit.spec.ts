import type { ApprovalRequirement } from '@countersign/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { unansweredPart } from '../approval/answered.js';
import { partsRequested } from '../approval/part.js';
import { requirementOf } from '../approval/requirement.js';
import { type Approval, holderOf } from '../approval/state.js';
import { endOfTime } from '../approval/time.js';
import { allows, asks, person, RuledPartition } from '../testing/ruled-partition.js';
import type { Judgement } from './decide.js';

const [ann, boss, owner] = [person('ann'), person('boss', ['clerk']), person('owner')];
const asksFor = (more: Partial<ApprovalRequirement>, rule = 'large'): Judgement => {
  const requirement = { ...requirementOf(asks), ...more };
  return { ...asks, rule, quorum: requirement.quorum, approver_roles: requirement.approver_roles, requirement };
};
const GRANTED = ['policy_decided', 'approval_requested', 'approval_granted'];
const operators = { approver_roles: ['operator'], people: [], quorum: 1, expires_after_ms: 5000 };
const escalating = { on_expiry: 'escalate' as const, escalate_to: [operators] };

let policy: RuledPartition;
beforeEach(() => {
  policy = new RuledPartition();
});
const refusal = () => policy.last('approval_vote_refused');

const refusalOf = (types: string[]) => types.includes('approval_vote_refused');
const open = (id: string) => policy.state.approvals.get(id) as Approval;

describe('given an open request, when an approver edits it', () => {
  beforeEach(() => void policy.rule('c1', asks));

  test.each([
    ['named people', { approver_roles: [], people: ['boss'] }, boss],
    ['another role', { approver_roles: ['operator'] }, person('otto', ['operator'])],
  ])('then inputs that require approval by %s wait for those: the edit is no approval', (_, others, other) => {
    expect(policy.edit('c1.1', ann, asksFor(others))).toEqual(['policy_decided', 'approval_requested']);
    expect(open('c1.2')).toMatchObject({ status: 'open', votes: [], parts: [{ rule: 'large', expires_at_ms: 11_000 }] });
    expect(refusalOf(policy.vote('c1.2', ann, 'approve'))).toBe(true);
    expect(policy.vote('c1.2', other, 'approve')).toEqual(['approval_granted']);
  });

  test.each([
    ['allows', allows],
    ['asks approvers about', asks],
    ['asks approvers and more people about', asksFor({ approver_roles: ['approver', 'operator'], people: ['boss'] })],
  ])('then inputs that policy %s are granted by the edit', (_, judgement) => {
    expect(policy.edit('c1.1', ann, judgement)).toEqual(GRANTED);
    expect(policy.last('approval_granted').call.inputs_digest).toBe('edited');
  });

  test('then stricter requirements of policy apply: approvals, a reason, a shorter grant', () => {
    const more = { quorum: 2, reason_required_on_deny: true, grant_max_ms: 1000 };
    const grant = { scope: 'tool' as const, for_ms: 2000, uses: 1 };
    expect(policy.edit('c1.1', ann, asksFor(more), { grant })).toEqual(['approval_vote_refused']);
    expect(refusal().code).toBe('bad_grant');
    policy.edit('c1.1', ann, asksFor(more));
    expect(policy.last('approval_requested').requirement).toMatchObject(more);
    expect(policy.vote('c1.2', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.2', person('bob'), 'approve')).toEqual(['approval_granted']);
  });

  test('then a person who now answers for the requester cannot approve', () => {
    expect(policy.edit('c1.1', owner, asks, { barred: ['owner'] })).toEqual(['policy_decided', 'approval_requested']);
    expect(open('c1.2').votes).toEqual([]);
  });

  test('then inputs that policy allows without approval cannot be granted by a person who answers for the requester', () => {
    expect(policy.edit('c1.1', owner, allows, { barred: ['owner'] })).toEqual(['approval_vote_refused']);
    expect(refusal().code).toBe('four_eyes');
    expect(open('c1.1')).toMatchObject({ status: 'open', votes: [] });
  });
});

test('given a request without four eyes, when edited inputs need four eyes, then the requester cannot approve', () => {
  policy.rule('c1', asksFor({ four_eyes: false }, 'small'));
  expect(policy.edit('c1.1', person('robot'), asksFor({ four_eyes: true }))).not.toContain('approval_granted');
  expect(refusalOf(policy.vote('c1.2', person('robot'), 'approve'))).toBe(true);
  expect(policy.vote('c1.2', ann, 'approve')).toEqual(['approval_granted']);
});

describe('given a request with parts of two rules, when it is edited', () => {
  const part = (rule: string, more: Partial<ApprovalRequirement> = {}) => ({ rule, requirement: { ...requirementOf(asks), ...more } });
  const both = { ...asks, parts: [part('large', escalating), part('mismatch', { approver_roles: ['buyer'], expires_after_ms: 20_000 })] };
  const buyer = person('bea', ['buyer']);

  test('then kept parts keep their deadline and level, new parts start, and all votes are dropped', () => {
    policy.rule('c1', both);
    policy.vote('c1.1', buyer, 'approve');
    policy.now_ms = 11_000;
    policy.write(endOfTime(open('c1.1'), holderOf(open('c1.1')).meta, policy.now_ms));
    policy.now_ms = 12_000;
    const edited = { ...asks, parts: [part('large', escalating), part('urgent', { approver_roles: ['lead'] })] };
    policy.edit('c1.1', person('otto', ['operator']), edited);
    expect(open('c1.2').parts).toMatchObject([
      { rule: 'large', level: 1, requested_at_ms: 1000, expires_at_ms: 16_000 },
      { rule: 'urgent', level: 0, requested_at_ms: 12_000, expires_at_ms: 22_000 },
    ]);
    expect(open('c1.2').votes.map(({ voter_id, in_parts }) => [voter_id, in_parts])).toEqual([
      ['otto', [{ rule: 'large', on_behalf_of: null }]],
    ]);
    expect(policy.vote('c1.2', person('lea', ['lead']), 'approve')).toEqual(['approval_granted']);
  });

  test('then a part that does not apply to the edited inputs is dropped', () => {
    policy.rule('c1', both);
    expect(policy.edit('c1.1', ann, { ...asks, parts: [part('large', escalating)] })).toEqual(GRANTED);
  });
});

describe('given an escalated request, when the next group edits it', () => {
  const operator = person('otto', ['operator']);
  beforeEach(() => {
    policy.rule('c1', asksFor(escalating));
    policy.now_ms = 11_000;
    policy.write(endOfTime(open('c1.1'), holderOf(open('c1.1')).meta, policy.now_ms));
  });

  test('then inputs with the same groups are granted by the current group', () => {
    expect(policy.edit('c1.1', operator, asksFor(escalating))).toEqual(GRANTED);
    const { asked, parts } = policy.last('approval_granted');
    expect(asked).toEqual({ approver_roles: ['operator'], people: [], four_eyes: true, level: 1 });
    expect(unansweredPart(partsRequested(asksFor(escalating)), parts)).toBeUndefined();
  });

  test('then the group may edit the request once more', () => {
    expect(policy.edit('c1.1', operator, asksFor({ ...escalating, escalate_to: [{ ...operators, quorum: 2 }] }))).not.toContain(
      'approval_granted',
    );
    expect(open('c1.2')).toMatchObject({ parts: [{ level: 1, expires_at_ms: 16_000 }] });
    policy.edit('c1.2', person('olli', ['operator']), asksFor({ ...escalating, escalate_to: [{ ...operators, quorum: 2 }] }), {
      edited_to: 'again',
    });
    expect(policy.last('approval_requested')).toMatchObject({ approval_id: 'c1.3', parts: [{ level: 1 }] });
  });
});
