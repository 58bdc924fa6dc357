import type { EffectClass, ToolContract } from '@countersign/contracts';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RulingInput } from '../ruling-input.js';
import { conditions } from './index.js';

const input = (effect_class: EffectClass, more: Partial<RulingInput> = {}): RulingInput => ({
  contract: { name: 'refund', version: '1.0.0', effect_class, reversibility: 'reversible' } as ToolContract,
  lifecycle: 'active',
  context: { safety_mode: null },
  principal: { kind: 'agent', id: 'a', roles: [] },
  ...more,
});
const said = (given: RulingInput) => conditions.flatMap(({ rule, judge }) => (judge(given) ? [`${rule} → ${judge(given)?.tier}`] : []));

describe('conditions', () => {
  test('have names of their own', () => {
    expect(new Set(conditions.map(({ rule }) => rule)).size).toBe(conditions.length);
  });

  test('a normal run of an active version: nothing to say', () => {
    expect(said(input('commit_high'))).toEqual([]);
  });

  test('a blocked version is blocked, whatever it does', () => {
    expect(said(input('pure', { lifecycle: 'blocked' }))).toEqual(['lifecycle.blocked → tier_3_blocked']);
  });

  test('a read-only run may read and not write', () => {
    expect(said(input('read_external', { context: { safety_mode: 'read_only' } }))).toEqual([]);
    expect(said(input('stage', { context: { safety_mode: 'read_only' } }))).toEqual(['context.safety_mode.read_only → tier_3_blocked']);
  });

  test('a run that asks for all waits before each write', () => {
    expect(said(input('pure', { context: { safety_mode: 'ask_all' } }))).toEqual([]);
    expect(said(input('commit_low', { context: { safety_mode: 'ask_all' } }))).toEqual([
      'context.safety_mode.ask_all → tier_2_approval_required',
    ]);
  });

  test('are total: odd words in a context never throw', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (safety_mode, lifecycle) => {
        for (const { judge } of conditions)
          judge(input('commit_low', { context: { safety_mode } as never, lifecycle: lifecycle as never }));
      }),
    );
  });
});
