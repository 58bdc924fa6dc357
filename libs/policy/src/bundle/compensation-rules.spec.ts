import { describe, expect, test } from 'vitest';
import { aRule, ruledBy } from '../testing/ruled.js';

describe('rules that name compensations', () => {
  const deny = aRule('no-undo', 'deny', { compensations: true });
  const ordinary = aRule('no-orders', 'deny');

  test('apply to every undo, and to no other call', () => {
    for (const compensation of ['own', 'published', 'inline'] as const)
      expect(ruledBy([deny], { compensation })).toMatchObject({ effect: 'deny', rule: 'no-undo' });
    expect(ruledBy([deny], {})).toMatchObject({ rule: 'default.commit_high' });
  });

  test('are the only rules for undos by the tool or a published definition; an inline undo is subject to all rules', () => {
    for (const compensation of ['own', 'published'] as const)
      expect(ruledBy([ordinary], { compensation })).toMatchObject({ effect: 'allow' });
    expect(ruledBy([ordinary], { compensation: 'inline' })).toMatchObject({ effect: 'deny', rule: 'no-orders' });
  });

  test('may require approval of an undo', () => {
    expect(ruledBy([aRule('ask', 'require_approval', { compensations: true })], { compensation: 'own' })).toMatchObject({
      effect: 'require_approval',
      rule: 'ask',
    });
  });
});
