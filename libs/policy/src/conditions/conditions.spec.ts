import type { Authority, EffectClass, ToolContract } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RulingInput } from '../ruling-input.js';
import { conditions } from './index.js';

const input = (effect_class: EffectClass, more: Partial<RulingInput> = {}): RulingInput => ({
  contract: {
    name: 'refund',
    version: '1.0.0',
    effect_class,
    reversibility: 'reversible',
    markings: [],
    scopes: [],
  } as unknown as ToolContract,
  lifecycle: 'active',
  context: { safety_mode: null, purpose: null },
  principal: { kind: 'agent', id: 'a', roles: [] },
  authority: null,
  inputs_json: '{}',
  now_ms: 0,
  ...more,
});
const rights = (more: Partial<Authority>): Authority => ({
  agent_token_ref: 'key:k',
  scopes: null,
  clearances: [],
  purposes: null,
  on_behalf_of: null,
  delegated_user_token_ref: null,
  delegation_id: null,
  sources: [],
  markings: [],
  ...more,
});
const judgedBy = (given: RulingInput) => conditions.flatMap(({ rule, judge }) => (judge(given) ? [`${rule} → ${judge(given)?.tier}`] : []));

describe('conditions', () => {
  test('have distinct rule ids', () => {
    expect(new Set(conditions.map(({ rule }) => rule)).size).toBe(conditions.length);
  });

  test('do not apply to a normal run of an active version', () => {
    expect(judgedBy(input('commit_high'))).toEqual([]);
  });

  test('block a blocked version, whatever it does', () => {
    expect(judgedBy(input('pure', { lifecycle: 'blocked' }))).toEqual(['lifecycle.blocked → tier_3_blocked']);
  });

  test('let a read-only run read and not write', () => {
    expect(judgedBy(input('read_external', { context: { safety_mode: 'read_only', purpose: null } }))).toEqual([]);
    expect(judgedBy(input('stage', { context: { safety_mode: 'read_only', purpose: null } }))).toEqual([
      'context.safety_mode.read_only → tier_3_blocked',
    ]);
  });

  test('make a run with `ask_all` wait before each write', () => {
    expect(judgedBy(input('pure', { context: { safety_mode: 'ask_all', purpose: null } }))).toEqual([]);
    expect(judgedBy(input('commit_low', { context: { safety_mode: 'ask_all', purpose: null } }))).toEqual([
      'context.safety_mode.ask_all → tier_2_approval_required',
    ]);
  });

  test('make each call of a tool wait that declares `asks.always`', () => {
    const contract = { ...input('commit_low').contract, capabilities: ['asks.always'] };
    expect(judgedBy(input('commit_low', { contract }))).toEqual(['contract.asks_always → tier_2_approval_required']);
    expect(judgedBy(input('commit_low', { contract: { ...contract, capabilities: ['asks'] } }))).toEqual([]);
  });

  test('let a tool with scopes run only for principals that have them all', () => {
    const contract = { ...input('pure').contract, scopes: ['a', 'b'] };
    expect(judgedBy(input('pure', { contract, authority: rights({ scopes: ['a'] }) }))).toEqual(['authority.scopes → tier_3_blocked']);
    expect(judgedBy(input('pure', { contract, authority: rights({ scopes: ['b', 'a'] }) }))).toEqual([]);
    expect(judgedBy(input('pure', { contract, authority: rights({ scopes: null }) }))).toEqual([]);
  });

  test('require a clearance for markings of the tool or a source; a call without authority has none', () => {
    const contract = { ...input('pure').contract, markings: ['pii'] };
    expect(judgedBy(input('pure', { contract }))).toEqual(['authority.clearances → tier_3_blocked']);
    expect(judgedBy(input('pure', { contract, authority: rights({ clearances: ['pii'] }) }))).toEqual([]);
    expect(judgedBy(input('pure', { contract, authority: rights({ clearances: ['pii'], markings: ['pii', 'kvkk'] }) }))).toHaveLength(1);
    expect(judgedBy(input('pure', { authority: rights({ markings: ['kvkk'] }) }))).toEqual(['authority.clearances → tier_3_blocked']);
    expect(judgedBy(input('pure', { contract, authority: rights({ clearances: ['*'], markings: ['kvkk'] }) }))).toEqual([]);
  });

  test('let a tool or a caller with limited purposes act only for a purpose that the call names', () => {
    const contract = { ...input('pure').contract, purposes: ['review', 'claims'] };
    const named = (purpose: string | null) => ({ safety_mode: null, purpose });
    expect(judgedBy(input('pure', { contract }))).toEqual(['authority.purposes → tier_3_blocked']);
    expect(judgedBy(input('pure', { contract, context: named('marketing') }))).toEqual(['authority.purposes → tier_3_blocked']);
    expect(judgedBy(input('pure', { contract, context: named('claims') }))).toEqual([]);
    expect(judgedBy(input('pure', { contract, context: named('claims'), authority: rights({ purposes: ['review'] }) }))).toHaveLength(1);
    expect(judgedBy(input('pure', { authority: rights({ purposes: ['review'] }) }))).toHaveLength(1);
    expect(judgedBy(input('pure', { context: named('review'), authority: rights({ purposes: ['review'] }) }))).toEqual([]);
  });

  test('never throw for unusual values in a context', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (safety_mode, lifecycle) => {
        for (const { judge } of conditions)
          judge(input('commit_low', { context: { safety_mode } as never, lifecycle: lifecycle as never }));
      }),
    );
  });
});
