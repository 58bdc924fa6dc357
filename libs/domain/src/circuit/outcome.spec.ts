import { callError, type ErrorCode, type Outcome } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { inDoubt } from '../execution/result.js';
import { circuitOutcomeOf } from './outcome.js';

const END_MS = 1_000;
const outcome = (more: Partial<Outcome>): Outcome =>
  ({ status: 'succeeded', error: null, extras: null, ended_at_ms: END_MS, ...more }) as Outcome;
const failed = (code: ErrorCode, more: object = {}, deadline_ms: number | null = null) =>
  circuitOutcomeOf(outcome({ status: 'failed', error: callError(code, 'no', more) }), deadline_ms);

describe('the end of a call', () => {
  test.each<[ErrorCode]>([['TIMEOUT'], ['NETWORK_ERROR'], ['PROVIDER_ERROR'], ['SANDBOX_ERROR']])(
    'with %s speaks of the provider',
    (code) => {
      expect(failed(code)).toBe('failed');
    },
  );

  test.each<[ErrorCode]>([['VALIDATION_ERROR'], ['POLICY_DENIED'], ['RATE_LIMIT'], ['AUTH_REQUIRED'], ['CANCELLED'], ['UNKNOWN']])(
    'with %s says nothing about the provider',
    (code) => {
      expect(failed(code)).toBeUndefined();
    },
  );

  test('of a provider that finds nothing or refuses by its own rules says nothing', () => {
    expect(failed('PROVIDER_ERROR', { class: 'not_found' })).toBeUndefined();
    expect(failed('PROVIDER_ERROR', { class: 'semantic' })).toBeUndefined();
    expect(failed('PROVIDER_ERROR', { class: 'transient' })).toBe('failed');
  });

  test('in doubt counts by its cause; without a readable cause it says nothing', () => {
    const doubt = (error: Outcome['error']) => circuitOutcomeOf(outcome({ status: 'in_doubt', error }), null);
    expect(doubt(inDoubt(callError('TIMEOUT', 'late')))).toBe('failed');
    expect(doubt(inDoubt(callError('CANCELLED', 'stopped')))).toBeUndefined();
    expect(doubt(inDoubt(null))).toBeUndefined();
    expect(doubt({ ...inDoubt(null), details_json: 'sealed:abc' })).toBeUndefined();
  });

  test('that the deadline of its caller cut off says nothing: a caller cannot open a circuit with short deadlines', () => {
    expect(failed('TIMEOUT', {}, END_MS)).toBeUndefined();
    expect(failed('TIMEOUT', {}, END_MS + 1)).toBe('failed');
  });

  test('with a result is a success, unless the cache answered', () => {
    expect(circuitOutcomeOf(outcome({}), null)).toBe('succeeded');
    expect(circuitOutcomeOf(outcome({ extras: { cached: true } as Outcome['extras'] }), null)).toBeUndefined();
  });

  test('that was cancelled, expired or denied says nothing', () => {
    for (const status of ['cancelled', 'expired', 'denied'] as const)
      expect(circuitOutcomeOf(outcome({ status: status as never, error: callError('TIMEOUT', 'x') }), null)).toBeUndefined();
  });
});
