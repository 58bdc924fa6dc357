import type { Outcome } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import type { CallState, EndFact } from '../call/state.js';
import { usageFacts } from './facts.js';
import { addUsage, noUsage, type UsageSums } from './measures.js';
import { observedMode } from './observed-mode.js';
import { usageRates } from './rates.js';

const extras = {
  cached: false,
  verified: null,
  validation_json: null,
  provenance: null,
  cost: 0.25,
  credentials: null,
  mapping_version: null,
};

function outcome(more: Partial<Outcome> = {}): Outcome {
  return {
    status: 'succeeded',
    output_json: '{}',
    error: null,
    effect: 'happened',
    started_at_ms: 1,
    ended_at_ms: 2,
    duration_ms: 1.5,
    retry_count: 0,
    truncated: false,
    attachments: [],
    warnings: [],
    extras: extras as Outcome['extras'],
    ...more,
  };
}

const end = (at_ms: number, more: Partial<Outcome> = {}, kind: EndFact['kind'] = 'executed') =>
  ({ kind, epoch: 1, outcome: outcome(more), original_call_id: null, at_ms, hlc: 1, event_id: 'e', position: {} }) as unknown as EndFact;

const call = { tool: 't', version: '1.0.0', effect_class: 'commit_low', case_id: null, principal: { kind: 'agent', id: 'a', roles: [] } };
const ruling = { revision: 1, effect: 'allow', rule: 'r', approval_mode_effective: 'local_write', decided_at_ms: 500 };

function state(more: Record<string, unknown>): CallState {
  const nothing = { ruling, approval: null, approval_end: null, started: null, doubt: null, end: null };
  return {
    call_id: 'c',
    tenant_id: 'x',
    partition: 0,
    attempt: 1,
    call,
    requested: { at_ms: 1 },
    ...nothing,
    ...more,
  } as unknown as CallState;
}

const counted = (...states: CallState[]): Partial<UsageSums> => {
  const sums = noUsage();
  for (const one of states) for (const fact of usageFacts(one)) addUsage(sums, fact.sums);
  return Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== 0));
};

describe('the usage that a call adds', () => {
  test('a call without an answer, or with an unknown request, adds nothing', () => {
    expect(counted(state({}), state({ requested: null, end: end(9) }), state({ call: null, end: end(9) }))).toEqual({});
  });

  test('a run adds its end, time and cost in the hour of its end', () => {
    expect(usageFacts(state({ end: end(7_200_000) }))).toMatchObject([{ at_ms: 7_200_000, duration_us: 1500 }]);
    expect(counted(state({ end: end(9) }))).toEqual({
      calls: 1,
      executed: 1,
      succeeded: 1,
      timed: 1,
      duration_us: 1500,
      cost_micros: 250_000,
    });
  });

  test('a duplicate and a cached answer are calls without an execution and without cost', () => {
    expect(counted(state({ end: end(9, {}, 'deduplicated') }))).toEqual({ calls: 1, deduplicated: 1 });
    const cached = { ...extras, cached: true } as Outcome['extras'];
    expect(counted(state({ end: end(9, { extras: cached }) }))).toEqual({ calls: 1, cached: 1, succeeded: 1 });
  });

  test('a doubt counts when it was answered and its end when it ended, as one call with one cost', () => {
    const doubted = state({ doubt: end(1000, { status: 'in_doubt', effect: 'unknown' }, 'in_doubt') });
    expect(counted(doubted)).toEqual({ calls: 1, executed: 1, in_doubt: 1, cost_micros: 250_000 });
    const resolved = { ...doubted, end: end(9000, {}, 'resolved') };
    expect(counted(resolved)).toEqual({ calls: 1, executed: 1, in_doubt: 1, resolved: 1, succeeded: 1, cost_micros: 250_000 });
    expect(usageFacts(resolved)).toMatchObject([
      { at_ms: 1000, doubted_at_ms: null },
      { at_ms: 9000, doubted_at_ms: 1000 },
    ]);
  });

  test('a denial for a scope, a clearance or a purpose is a violation; a denial by a rule or by people is not', () => {
    const denied = (rule: string) => state({ ruling: { ...ruling, effect: 'deny', rule } });
    expect(counted(denied('authority.scopes'))).toEqual({ calls: 1, denied: 1, violations: 1 });
    expect(counted(denied('too-dear'))).toEqual({ calls: 1, denied: 1 });
    const byPeople = { kind: 'denied', revision: 1, at_ms: 700 };
    expect(counted(state({ ruling: { ...ruling, effect: 'require_approval' }, approval_end: byPeople }))).toEqual({ calls: 1, denied: 1 });
  });

  test('retries within a call and repeated calls are counted separately', () => {
    expect(counted(state({ end: end(9, { retry_count: 2 }) }))).toMatchObject({ retried: 1, retried_succeeded: 1 });
    const failed = { status: 'failed' as const, retry_count: 1 };
    expect(counted(state({ attempt: 2, end: end(9, failed) }))).toMatchObject({ retried: 1, asked_again: 1, failed: 1 });
    expect(counted(state({ attempt: 2, end: end(9) }))).toMatchObject({ asked_again: 1, asked_again_succeeded: 1 });
  });

  test('a mapping fault is counted, and so is the repeated call through the mapping that succeeds', () => {
    const error = { details_json: '{"layer":"mapping","mapping_version":1}' } as unknown as Outcome['error'];
    expect(counted(state({ end: end(9, { status: 'failed', effect: 'none', error }) }))).toMatchObject({ mapping_faults: 1 });
    const mapped = { ...extras, mapping_version: 2 } as Outcome['extras'];
    expect(counted(state({ attempt: 2, end: end(9, { extras: mapped }) }))).toMatchObject({ mapping_repaired: 1 });
  });
});

describe('the observed approval mode', () => {
  const reading = { call: { ...call, effect_class: 'read_internal' }, ruling: { ...ruling, approval_mode_effective: 'read_only' } };
  const read = (output_json: string | null) => state({ ...reading, end: end(9, { effect: 'none', output_json }) });

  test('a read that reports mutations writes', () => {
    expect(observedMode(read('{"mutations":[{"id":1}],"rows":2}'))).toBe('local_write');
    expect(counted(read('{"mutations":[{"id":1}]}'))).toMatchObject({ misclassified: 1 });
  });

  test('a read that changed something by the evidence of its run writes', () => {
    expect(observedMode(state({ ...reading, end: end(9, { effect: 'happened' }) }))).toBe('local_write');
    expect(observedMode(state({ ...reading, ruling: null, end: end(9, { effect: 'happened' }) }))).toBe('local_write');
  });

  test('a read that failed after it had changed something writes', () => {
    const error = { details_json: '{"mutations":["row 1"]}' } as unknown as Outcome['error'];
    const failed = state({ ...reading, end: end(9, { status: 'failed', effect: 'none', output_json: null, error }) });
    expect(observedMode(failed)).toBe('local_write');
    expect(counted(failed)).toMatchObject({ failed: 1, misclassified: 1 });
  });

  test('it is compared with the effective mode: a read that was ruled to be a write may write', () => {
    expect(observedMode(state({ ...reading, ruling, end: end(9) }))).toBeUndefined();
    const network = { ...ruling, approval_mode_effective: 'network' };
    expect(observedMode(state({ ruling: network, end: end(9) }))).toBe('local_write');
  });

  test('a read without mutations, or with the word elsewhere, is not a write; a write may write', () => {
    for (const output of [null, '{"mutations":[]}', '{"a":{"mutations":[1]}}', '"\\"mutations\\":[1]"', '{"mutations":[1'])
      expect(observedMode(read(output))).toBeUndefined();
    expect(observedMode(state({ end: end(9, { output_json: '{"mutations":[1]}' }) }))).toBeUndefined();
  });
});

test('rates divide by the calls that they are about, and are null if there are none', () => {
  expect(usageRates(noUsage())).toMatchObject({ success_rate: null, dedup_rate: null, repair_rate: null, mean_ms: null, cost_usd: 0 });
  const sums = { ...noUsage(), calls: 20, executed: 10, succeeded: 6, failed: 2, in_doubt: 3, resolved: 1, deduplicated: 5, retried: 1 };
  expect(usageRates({ ...sums, retried_succeeded: 1, timed: 8, duration_us: 16_000, violations: 1, cost_micros: 5_000_000 })).toEqual({
    success_rate: 6 / 10,
    dedup_rate: 0.25,
    in_doubt_rate: 0.3,
    permission_violation_rate: 0.05,
    misclassification_rate: 0,
    repair_rate: 0.5,
    mean_ms: 2,
    cost_usd: 5,
    cost_per_call_usd: 0.5,
  });
  expect(usageRates({ ...sums, violations: 1 }, 4).permission_violation_rate).toBe(5 / 24);
  expect(usageRates(noUsage(), 4).permission_violation_rate).toBe(1);
});

test('a call counts once as flagged, in the first answer with patterns of injection', () => {
  const flagged = { extras: { ...extras, flags: ['instructions'] } as Outcome['extras'] };
  const doubt = end(1_000, { status: 'in_doubt', ...flagged });
  expect(counted(state({ end: end(1_000, flagged) }))).toMatchObject({ calls: 1, flagged: 1 });
  expect(counted(state({ end: end(1_000, flagged, 'deduplicated') }))).toMatchObject({ deduplicated: 1, flagged: 1 });
  expect(counted(state({ doubt, end: end(2_000, flagged) }))).toMatchObject({ calls: 1, flagged: 1 });
  expect(counted(state({ end: end(1_000) })).flagged).toBeUndefined();
});
