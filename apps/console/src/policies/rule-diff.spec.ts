import { expect, test } from 'vitest';
import { diffWords, NO_RULES, policyDiff } from './rule-diff.js';

const rule = (id: string, more: object = {}) => ({ id, effect: 'deny', tools: { names: ['pay'] }, ...more });
const bundle = (...rules: object[]) => ({ rules });

test('rules are compared by id, whatever their order', () => {
  const { rules, unchanged } = policyDiff(bundle(rule('a'), rule('b')), bundle(rule('b'), rule('a')));
  expect([rules, unchanged]).toEqual([[], 2]);
});

test('what is removed comes first, then what is added, then what is changed', () => {
  const diff = policyDiff(bundle(rule('a'), rule('b'), rule('same')), bundle(rule('same'), rule('b', { effect: 'allow' }), rule('c')));
  expect(diff.rules.map((change) => [change.kind, change.rule.id])).toEqual([
    ['removed', 'a'],
    ['added', 'c'],
    ['changed', 'b'],
  ]);
  expect(diffWords(diff)).toBe('1 added, 1 changed, 1 removed');
});

test('a changed field is said in words', () => {
  const approval = { approver_roles: ['approver'], people: [], quorum: 1, expires_after_ms: 86_400_000 };
  const before = rule('a', { effect: 'require_approval', approval });
  const after = { ...before, approval: { ...approval, quorum: 2, people: ['anna'] }, when: 'inputs.x > 1' };
  const [change] = policyDiff(bundle(before), bundle(after)).rules;
  expect(change?.kind === 'changed' && change.fields).toEqual([
    { field: 'approval', word: 'Approval', before: '1 of role approver, within 1 d', after: '2 of role approver or anna, within 1 d' },
    { field: 'when', word: 'When', before: 'always', after: 'inputs.x > 1' },
  ]);
});

test('a difference that words do not show is shown as JSON', () => {
  const approval = { approver_roles: ['approver'], people: [], quorum: 1, reason_required_on_deny: false };
  const before = rule('a', { effect: 'require_approval', approval });
  const [change] = policyDiff(bundle(before), bundle({ ...before, approval: { ...approval, reason_required_on_deny: true } })).rules;
  expect(change?.kind === 'changed' && change.fields[0]?.after).toContain('"reason_required_on_deny": true');
});

test('what belongs to the policy itself is compared, too', () => {
  const diff = policyDiff({ ...NO_RULES, dangerous: 'deny' }, { ...NO_RULES, description: 'new' });
  expect(diff.policy.map(({ field }) => field).sort()).toEqual(['dangerous', 'description']);
  expect(diffWords(diff)).toBe('no rule differs');
  expect(diffWords(policyDiff(NO_RULES, NO_RULES))).toBe('no difference');
});

test('what is no rule is left out, never a fault', () => {
  for (const rules of [null, 7, [null], ['x'], [{}], [{ id: 1, effect: 2 }]]) expect(policyDiff({ rules }, { rules }).rules).toEqual([]);
  expect(policyDiff({}, bundle(rule('__proto__'))).rules.map(({ rule: { id } }) => id)).toEqual(['__proto__']);
});
