import { describe, expect, test } from 'vitest';
import { cancel } from './cancel.js';
import { afterResolution, lateEnd, lateResult, stateAfter } from './evidence.js';

describe('evidence', () => {
  test('a result of a stale epoch resolves a doubt and changes nothing else', () => {
    expect(lateEnd({ state: 'running', started_epoch: 2 }, { epoch: 1 }).kind).toBe('nothing');
    expect(lateEnd({ state: 'in_doubt', started_epoch: 2 }, { epoch: 1 }).kind).toBe('resolve');
    expect(lateEnd({ state: 'running', started_epoch: 1 }, { epoch: 1 }).kind).toBe('end');
    expect(lateEnd({ state: 'running', started_epoch: null }, { epoch: 1 }).kind).toBe('end');
    expect(lateEnd({ state: 'released', started_epoch: 1 }, { epoch: 1 }).kind).toBe('nothing');
    expect((['settling', 'in_doubt', 'ended'] as const).map(lateResult)).toEqual(['end', 'resolve', 'nothing']);
  });

  test('only an outcome without any effect releases a key', () => {
    expect(stateAfter({ status: 'failed', effect: 'none' })).toBe('released');
    expect(stateAfter({ status: 'failed', effect: 'happened' })).toBe('failed_with_effect');
    expect(stateAfter({ status: 'failed', effect: 'unknown' })).toBe('in_doubt');
    expect(stateAfter({ status: 'cancelled', effect: 'none' })).toBe('released');
  });

  test("a person's decision resolves a doubt and changes nothing else", () => {
    expect(afterResolution('in_doubt', 'happened')).toBe('succeeded');
    expect(afterResolution('in_doubt', 'did_not_happen')).toBe('failed');
    for (const state of ['running', 'succeeded', 'released', null] as const) expect(afterResolution(state, 'happened')).toBe('ignore');
  });

  test('a call that may have fired is never simply reported as cancelled', () => {
    const standings = ['unknown', 'waiting', 'joined', 'claiming', 'running', 'settling', 'ended'] as const;
    expect(standings.map((standing) => cancel(standing).kind)).toEqual([
      'tombstone',
      'tombstone',
      'leave',
      'stop_before_fire',
      'abort',
      'ignore',
      'ignore',
    ]);
  });
});
