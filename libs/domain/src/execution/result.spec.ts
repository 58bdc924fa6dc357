import { callError } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { meaningOf, type Recovery, type Run } from './result.js';

const recovery = (over: Partial<Recovery> = {}): Recovery => ({
  write: true,
  takes_key: false,
  has_reconcile: false,
  settle_ms: 60,
  settle_is_final: false,
  ...over,
});
const run = (over: Partial<Run> = {}): Run => ({
  resends: 0,
  resends_max: 2,
  maybe_happened: false,
  fired_at_ms: 100,
  now_ms: 110,
  deadline_ms: null,
  until_ms: 10_000,
  paused_ms: 0,
  random: 0.5,
  cancelled: false,
  ...over,
});
const lost = { kind: 'lost' as const, error: callError('NETWORK_ERROR', 'gone') };
const wrong = { kind: 'wrong_shape' as const, error: callError('VALIDATION_ERROR', 'odd') };
const refused = (effect: 'none' | 'unknown') => ({ kind: 'refused' as const, error: callError('PROVIDER_ERROR', 'no'), effect });

describe('the result of a run', () => {
  test.each([
    ['a lost write whose system takes the key is sent again', lost, recovery({ takes_key: true }), run(), 'resend'],
    ['a bounded number of times, then it is in doubt', lost, recovery({ takes_key: true }), run({ resends: 2 }), 'in_doubt'],
    ['or reconciled', lost, recovery({ takes_key: true, has_reconcile: true }), run({ resends: 2 }), 'reconcile'],
    ['not after it was cancelled', lost, recovery({ takes_key: true }), run({ cancelled: true }), 'in_doubt'],
    ['not after its deadline', lost, recovery({ takes_key: true }), run({ deadline_ms: 105 }), 'in_doubt'],
    ['a lost write with a reconcile is reconciled', lost, recovery({ has_reconcile: true }), run(), 'reconcile'],
    ['a lost write with neither is in doubt', lost, recovery(), run(), 'in_doubt'],
    ['a refusal that promises no effect is a failure', refused('none'), recovery(), run(), 'failed'],
    ['a refusal that promises nothing may have happened', refused('unknown'), recovery(), run(), 'in_doubt'],
    ['cancelled, it is cancelled only where nothing happened', refused('none'), recovery(), run({ cancelled: true }), 'cancelled'],
    ['a transient error of a read is tried again', lost, recovery({ write: false }), run(), 'resend'],
    ['not where it would begin after the time of its tool', lost, recovery({ write: false }), run({ until_ms: 200 }), 'failed'],
    ['nor after its deadline', lost, recovery({ write: false }), run({ deadline_ms: 200 }), 'failed'],
    ['nor after it was cancelled', lost, recovery({ write: false }), run({ cancelled: true }), 'cancelled'],
    ['an error for good is not', refused('none'), recovery({ write: false }), run(), 'failed'],
    ['a write is tried again where nothing happened', { ...lost, kind: 'refused', effect: 'none' }, recovery(), run(), 'resend'],
    [
      'after an attempt without an answer, a refusal says nothing about that attempt: it is reconciled',
      refused('none'),
      recovery({ takes_key: true, has_reconcile: true }),
      run({ resends: 1, maybe_happened: true }),
      'reconcile',
    ],
    ['or in doubt', refused('none'), recovery({ takes_key: true }), run({ resends: 1, maybe_happened: true }), 'in_doubt'],
    ['cancelled, too', refused('none'), recovery(), run({ cancelled: true, maybe_happened: true }), 'in_doubt'],
    [
      'and where the refusal is transient, it is sent again with its key',
      { ...lost, kind: 'refused', effect: 'none' },
      recovery({ takes_key: true }),
      run({ resends: 1, maybe_happened: true }),
      'resend',
    ],
    ['and not where that is not promised', { ...lost, kind: 'refused', effect: 'unknown' }, recovery(), run(), 'in_doubt'],
    [
      'a wrong answer of a write is reconciled, not sent again',
      wrong,
      recovery({ takes_key: true, has_reconcile: true }),
      run(),
      'reconcile',
    ],
    ['without a reconcile, the request is sent again to get the same answer', wrong, recovery({ takes_key: true }), run(), 'resend'],
    ['else it is in doubt', wrong, recovery(), run(), 'in_doubt'],
    ['a read just fails', { kind: 'wrong_shape', error: callError('VALIDATION_ERROR', 'x') }, recovery({ write: false }), run(), 'failed'],
    [
      'a success in spite of a cancel is a success',
      { kind: 'output', output_json: '1', truncated: false, warnings: [] },
      recovery(),
      run({ cancelled: true }),
      'succeeded',
    ],
  ] as const)('%s', (_title, result, how, at, then) => {
    expect(meaningOf(result as never, how, at).kind).toBe(then);
  });

  test('a write has happened unless its answer reports that it changed nothing', () => {
    const output = { kind: 'output' as const, output_json: '1', truncated: false, warnings: [] };
    expect(meaningOf(output, recovery(), run())).toEqual({ kind: 'succeeded', effect: 'happened' });
    expect(meaningOf({ ...output, unchanged: true }, recovery(), run())).toEqual({ kind: 'succeeded', effect: 'none' });
    expect(meaningOf(output, recovery({ write: false }), run())).toEqual({ kind: 'succeeded', effect: 'none' });
  });

  test('Retry-After is respected, and if there is no time for it the call ends', () => {
    const busy = { ...lost, error: callError('RATE_LIMIT', 'later', { retry_after_s: 2 }) };
    expect(meaningOf(busy, recovery({ write: false }), run())).toEqual({
      kind: 'resend',
      at_ms: 2110,
      pause_ms: 2000,
      maybe_happened: false,
    });
    expect(meaningOf(busy, recovery({ write: false }), run({ until_ms: 2000 }))).toMatchObject({
      kind: 'failed',
      error: { retry_after_s: 2 },
    });
  });

  test('no reconcile before the settle time, counted from the start', () => {
    expect(meaningOf(lost, recovery({ has_reconcile: true }), run())).toEqual({ kind: 'reconcile', at_ms: 160 });
  });
});
