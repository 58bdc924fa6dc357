import { plainRequirement, type SimilarGrant, type ToolCall } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import type { RequestedPart } from './part.js';
import { partsBySaga } from './saga-grant.js';
import { shownDigest } from './saga-plan.js';

const HOUR_MS = 3_600_000;
const asked = { approver_roles: ['approver'], people: [], four_eyes: true, level: 0 };
const part = (rule: string, more: object = {}): RequestedPart => ({
  rule,
  requirement: { ...plainRequirement(['approver'], 1, HOUR_MS), saga_max_ms: HOUR_MS, ...more },
});
const INPUTS = { to: 'a', amount: 1 };
const step = { step_id: 'one', level: 0, tool: 'pay', version: '1.0.0', contract_digest: 'c', open_inputs: [], rules: ['ask'] };
const grant = (more: object = {}): SimilarGrant => ({
  ...{ grant_id: 'g', approval_id: 'g', tool: 'x', version: '1', contract_digest: '', scope: 'run', case_id: null, run_id: null },
  ...{ principal_id: 'robot', granted_by: ['ann', 'bob'], from_ms: 0, expires_at_ms: HOUR_MS, rule: 'ask', mapping_version: null },
  ...{ rules: ['ask', 'other'], inputs: null, uses: 1 },
  saga: {
    saga_id: 's1',
    definition_digest: 'd1',
    steps: [{ ...step, shown_digest: shownDigest(INPUTS, []), ...more }],
    parts: [
      { rule: 'ask', asked, approved_by: ['ann'] },
      { rule: 'other', asked, approved_by: ['ann'] },
    ],
  },
});
const ref = { saga_id: 's1', step_id: 'one', level: 0, attempt: 1, definition_digest: 'd1', confidence: null, confidence_share: 1 };
const call = (more: object = {}) =>
  ({
    ...{ tool: 'pay', version: '1.0.0', contract_digest: 'c', inputs_json: JSON.stringify(INPUTS), principal: { id: 'robot' } },
    ...{ context: { safety_mode: 'normal' }, sealed: null, mapped: null, saga: ref, ...more },
  }) as unknown as ToolCall;
const met = (of: SimilarGrant, made: ToolCall, asking = [part('ask')], now_ms = 1) =>
  partsBySaga(of, made, asking, { now_ms, links: [] }).map(({ rule }) => rule);

describe('the approval of a saga', () => {
  test('meets the part of the rule for which it covers the step', () => {
    expect(met(grant(), call())).toEqual(['ask']);
  });

  test.each<[string, object]>([
    ['saga', { saga: { ...ref, saga_id: 's2' } }],
    ['definition', { saga: { ...ref, definition_digest: 'd2' } }],
    ['step', { saga: { ...ref, step_id: 'two' } }],
    ['level', { saga: { ...ref, level: 1 } }],
    ['tool', { tool: 'other' }],
    ['version', { version: '1.0.1' }],
    ['contract', { contract_digest: 'c2' }],
    ['starter', { principal: { id: 'other' } }],
    ['input', { inputs_json: JSON.stringify({ ...INPUTS, amount: 2 }) }],
    ['number of inputs', { inputs_json: JSON.stringify({ ...INPUTS, memo: 'x' }) }],
    ['direction', { compensates: { kind: 'inline' } }],
  ])('meets nothing of a call with another %s', (_, more) => {
    expect(met(grant(), call(more))).toEqual([]);
  });

  test('meets no part of another rule, although the same approval met that part for other steps', () => {
    expect(met(grant(), call(), [part('ask'), part('other')])).toEqual(['ask']);
    expect(met(grant({ rules: ['ask', 'other'] }), call(), [part('ask'), part('other')])).toEqual(['ask', 'other']);
  });

  test('ends when it was given to end, although the rule gives more time now', () => {
    expect(met(grant(), call(), [part('ask', { saga_max_ms: 9 * HOUR_MS })], HOUR_MS)).toEqual([]);
  });

  test('meets one of two parts whose rules do not accept the same person twice', () => {
    const distinct = [part('ask', { distinct: true }), part('other', { distinct: true })];
    expect(met(grant({ rules: ['ask', 'other'] }), call(), distinct)).toHaveLength(1);
  });
});
