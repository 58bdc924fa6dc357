import { callError } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { type Asking, afterReconcile } from './reconciled.js';

describe('the answer of a reconcile', () => {
  const asking = (over: Partial<Asking> = {}): Asking => ({
    asks_done: 0,
    asks_max: 2,
    owner_dead: false,
    settle_is_final: false,
    now_ms: 10,
    ...over,
  });
  test.each([
    ['did_not_happen counts where the owner is dead', { kind: 'did_not_happen' }, asking({ owner_dead: true }), 'failed'],
    ['or the settle time is final', { kind: 'did_not_happen' }, asking({ settle_is_final: true }), 'failed'],
    ['and else is doubt', { kind: 'did_not_happen' }, asking(), 'in_doubt'],
    ['happened is a success', { kind: 'happened', output_json: '1' }, asking(), 'succeeded'],
    ['cannot_tell is doubt', { kind: 'cannot_tell', why: 'closed' }, asking({ owner_dead: true }), 'in_doubt'],
    ['unreachable: queried again', { kind: 'failed', error: callError('NETWORK_ERROR', 'x') }, asking(), 'ask_again'],
    ['a bounded number of times', { kind: 'failed', error: callError('NETWORK_ERROR', 'x') }, asking({ asks_done: 1 }), 'in_doubt'],
  ] as const)('%s', (_title, answer, at, then) => {
    expect(afterReconcile(answer as never, at).kind).toBe(then);
  });
  test('eight questions outlast 40 seconds in which the system is unreachable', () => {
    const unreachable = { kind: 'failed', error: callError('NETWORK_ERROR', 'x') } as const;
    const pauses = [0, 1, 2, 3, 4, 5, 6].map((asks_done) => {
      const next = afterReconcile(unreachable, asking({ asks_done, asks_max: 8, now_ms: 0 }));
      return next.kind === 'ask_again' ? next.at_ms : next.kind;
    });
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    expect(afterReconcile(unreachable, asking({ asks_done: 7, asks_max: 8 })).kind).toBe('in_doubt');
  });
});
