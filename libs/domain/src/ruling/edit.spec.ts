import type { ApprovalRequirement, GrantedTerms } from '@countersign/contracts';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { asksOthersNow, requirementOf } from '../approval/requirement.js';
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

describe('given a request that approvers decide, when one of them edits it', () => {
  beforeEach(() => void policy.rule('c1', asks));

  test.each([
    ['named people', { approver_roles: [], people: ['boss'] }],
    ['another role', { approver_roles: ['operator'] }],
    ['nobody but named approvers', { approver_roles: [], people: ['ann'] }],
  ])('then inputs that policy asks %s about are refused, and the request stays what it was', (_, others) => {
    expect(policy.edit('c1.1', ann, asksFor(others))).toEqual(['approval_vote_refused']);
    expect(refusal()).toMatchObject({ code: 'bad_edit', reason: expect.stringMatching(/rule large asks others .* deny this request/) });
    expect(policy.state.approvals.get('c1.1')).toMatchObject({ status: 'open', votes: [] });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_granted']);
  });

  test.each([
    ['allows', allows],
    ['asks approvers about', asks],
    ['asks approvers and more people about', asksFor({ approver_roles: ['approver', 'operator'], people: ['boss'] })],
  ])('then inputs that policy %s are granted by it', (_, judgement) => {
    expect(policy.edit('c1.1', ann, judgement)).toEqual(GRANTED);
    expect(policy.last('approval_granted').call.inputs_digest).toBe('edited');
  });

  test('then what policy asks more of is asked more of: approvals, a reason, a shorter grant', () => {
    const more = { quorum: 2, reason_required_on_deny: true, grant_max_ms: 1000 };
    expect(policy.edit('c1.1', ann, asksFor(more), { grant: { scope: 'tool', for_ms: 2000 } })).toEqual(['approval_vote_refused']);
    expect(refusal().code).toBe('bad_grant');
    policy.edit('c1.1', ann, asksFor(more));
    expect(policy.last('approval_requested').requirement).toMatchObject(more);
    expect(policy.vote('c1.2', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(policy.vote('c1.2', person('bob'), 'approve')).toEqual(['approval_granted']);
  });

  test('then who answers for the requester by now approves nothing', () => {
    expect(policy.edit('c1.1', owner, asks, { barred: ['owner'] })).toEqual(['approval_vote_refused']);
    expect(refusal().code).toBe('four_eyes');
  });
});

test('given a request without four eyes, when an edit asks for inputs that need them, then it is refused', () => {
  policy.rule('c1', asksFor({ four_eyes: false }, 'small'));
  expect(policy.edit('c1.1', person('robot'), asksFor({ four_eyes: true }))).toEqual(['approval_vote_refused']);
  expect(refusal()).toMatchObject({ code: 'bad_edit', reason: expect.stringContaining('four eyes') });
  expect(policy.edit('c1.1', ann, asksFor({ four_eyes: false }))).toEqual(GRANTED);
});

describe('given a request that went to the next group, when that edits it', () => {
  const operator = person('otto', ['operator']);
  beforeEach(() => {
    policy.rule('c1', asksFor(escalating));
    const approval = policy.state.approvals.get('c1.1') as Approval;
    policy.now_ms = approval.expires_at_ms;
    policy.write(endOfTime(approval, holderOf(approval).meta, policy.now_ms));
  });

  test('then inputs with the same groups are granted, by the group that had its turn', () => {
    expect(policy.edit('c1.1', operator, asksFor(escalating))).toEqual(GRANTED);
    const { asked } = policy.last('approval_granted');
    expect(asked).toEqual({ approver_roles: ['operator'], people: [], four_eyes: true, level: 1 });
    expect(asksOthersNow(requirementOf(asksFor(escalating)), asked as GrantedTerms)).toBe(false);
  });

  test('then it may edit it once more', () => {
    expect(policy.edit('c1.1', operator, asksFor({ ...escalating, quorum: 2 }))).not.toContain('approval_granted');
    expect(policy.state.approvals.get('c1.2')).toMatchObject({ approver_roles: ['operator'], level: 0, level_before: 1 });
    policy.edit('c1.2', person('olli', ['operator']), asksFor({ ...escalating, quorum: 2 }), { edited_to: 'again' });
    expect(policy.last('approval_requested')).toMatchObject({ approval_id: 'c1.3', level: 1, requirement: { escalate_to: [] } });
  });

  test('then inputs that others would have been asked about before are refused', () => {
    expect(policy.edit('c1.1', operator, asksFor({ ...escalating, approver_roles: [], people: [boss.id] }))).toEqual([
      'approval_vote_refused',
    ]);
  });
});
