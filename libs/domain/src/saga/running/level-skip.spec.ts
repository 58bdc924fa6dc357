import { describe, expect, test } from 'vitest';
import { Story, sequence, step } from '../../testing/sagas/story.js';
import { sagaEffectsOf, sagaStatusOf } from './effects.js';
import { levelP99, levelSkipReason, timeLeft } from './level-skip.js';

const other = { tool: 'other', version: '1.0.0', inputs: {} };
const levels = (story: Story) => sagaEffectsOf(story.saga).flatMap((effect) => (effect.kind === 'prepare' ? [effect.level] : []));
const skip = (story: Story, level: number, step_id = 'a') =>
  story.when({ kind: 'level_skipped', step_id, level, tool: 'any', version: '1.0.0', reason: 'circuit_open' });

describe('a level is skipped', () => {
  const able = { circuit: 'closed', has_probe: false, rate_budget: null, p99_ms: 100, time_left_ms: 100 } as const;

  test('while its circuit is not closed, unless the caller holds the probe lease', () => {
    expect(levelSkipReason(able)).toBeUndefined();
    expect(levelSkipReason({ ...able, circuit: 'open' })).toBe('circuit_open');
    expect(levelSkipReason({ ...able, circuit: 'half_open' })).toBe('circuit_open');
    expect(levelSkipReason({ ...able, circuit: 'half_open', has_probe: true })).toBeUndefined();
  });

  test('if no call is left in its rate budget, or the deadline comes before its p99; what is unknown skips nothing', () => {
    expect(levelSkipReason({ ...able, rate_budget: 0 })).toBe('rate_budget_empty');
    expect(levelSkipReason({ ...able, time_left_ms: 99 })).toBe('deadline');
    expect(levelSkipReason({ ...able, p99_ms: null, time_left_ms: 0 })).toBeUndefined();
    expect(levelSkipReason({ ...able, time_left_ms: null })).toBeUndefined();
  });

  test('by the p99 of the definition, else that of the contract of its tool', () => {
    expect(levelP99({ ...other, p99_ms: 7 }, { latency_p99_ms: 9 })).toBe(7);
    expect(levelP99(other, { latency_p99_ms: 9 })).toBe(9);
    expect(levelP99(other, undefined)).toBeNull();
  });

  test('by the time to the deadline, which no longer counts after the pivot or while a person holds the clock', () => {
    expect(timeLeft(new Story(step('a'), 500).saga, 100)).toBe(400);
    expect(timeLeft(new Story(step('a')).saga, 100)).toBeNull();
    expect(timeLeft(new Story(step('a'), 500).controls('pause').saga, 100)).toBeNull();
    const pivoted = new Story(sequence(step('a'), step('b')), 500).ran('a', { is_irreversible: true, compensation_tool: null });
    expect(timeLeft(pivoted.saga, 900)).toBeNull();
  });
});

describe('after a skipped level', () => {
  test('the next level is due, and each skip is one record', () => {
    const story = new Story(step('a', { fallbacks: [other, other] }));
    expect(skip(story, 0).types).toEqual(['saga_level_skipped']);
    expect(levels(story)).toEqual([1]);
    expect([skip(story, 0).types, skip(story, 2).types]).toEqual([[], []]);
    expect(levels(story.asks('a', {}, 1).ends('a', 'failed'))).toEqual([2]);
    expect(story.saga.steps.get('a')?.runs[0]?.level).toBe(1);
  });

  test('the manual task follows the last tool, and without one the step fails', () => {
    const manual = new Story(step('a', { fallbacks: [other], manual: 'do it' }));
    expect(skip(skip(manual, 0), 1).types).toEqual(['saga_level_skipped', 'saga_wait_opened']);
    expect(sagaStatusOf(manual.saga)).toBe('awaiting_approval');
    const none = new Story(sequence(step('b'), step('a'))).ran('b');
    expect(skip(none, 0).types).toEqual(['saga_level_skipped', 'saga_compensation_started']);
    expect(none.effects()).toEqual(['prepare_undo b']);
  });

  test('the condition of the step can still be false, but not once a call was made', () => {
    const skipped = { kind: 'step_skipped', step_id: 'a', tool: 'a' } as const;
    const story = skip(new Story(step('a', { fallbacks: [other] })), 0);
    expect(story.when(skipped).types).toEqual(['saga_step_ended', 'saga_ended']);
    const called = new Story(step('a', { fallbacks: [other] })).asks('a').ends('a', 'failed');
    expect(called.when(skipped).types).toEqual([]);
  });
});

describe('no level is skipped', () => {
  const story = () => new Story(step('a', { fallbacks: [other, other] }));

  test('while a call of the step is open or in doubt, after a denial, or while the saga is paused', () => {
    const open = story().asks('a');
    expect([skip(open, 0).types, skip(open, 1).types]).toEqual([[], []]);
    const doubt = story().asks('a').ends('a', 'in_doubt', 'unknown');
    expect([skip(doubt, 0).types, skip(doubt, 1).types, levels(doubt)]).toEqual([[], [], []]);
    expect(skip(story().asks('a').ends('a', 'denied'), 1).types).toEqual([]);
    expect(skip(story().controls('pause'), 0).types).toEqual([]);
  });

  test('so that an effect that becomes known late after a skip starts no other level', () => {
    const late = skip(story().asks('a').ends('a', 'failed'), 1);
    expect(levels(late)).toEqual([2]);
    late.when({ kind: 'evidence', of_call_id: late.call('a'), direction: 'forward', happened: true });
    expect(levels(late)).toEqual([]);
  });
});

describe("after a person's retry", () => {
  const pivoted = () =>
    new Story(sequence(step('b'), step('a', { fallbacks: [other, other] }))).ran('b', { is_irreversible: true, compensation_tool: null });

  test('skipped levels are considered anew, and a level that ran keeps its key', () => {
    const story = skip(skip(pivoted(), 0).asks('a', {}, 1).ends('a', 'failed'), 2);
    expect(story.effects()).toContain('ticket failed_after_pivot');
    expect(levels(story.controls('retry', 'a'))).toEqual([0]);
    expect(levels(skip(story, 0))).toEqual([1]);
    expect(levels(story.asks('a', { key: 'another' }, 1).ends('a', 'failed'))).toEqual([2]);
    expect(story.saga.steps.get('a')?.runs.map(({ level, key }) => [level, key])).toEqual([
      [1, 'key a 1'],
      [1, 'key a 1'],
    ]);
  });

  test('late evidence that the failed call took effect voids a retry on another level, and a person is asked again', () => {
    const story = skip(skip(pivoted(), 0).asks('a', {}, 1).ends('a', 'failed'), 2).controls('retry', 'a');
    expect(levels(story)).toEqual([0]);
    story.when({ kind: 'evidence', of_call_id: story.call('a'), direction: 'forward', happened: true });
    expect(story.types).toEqual(['saga_evidence_recorded', 'saga_ticket_opened', 'saga_ticket_opened']);
    expect([levels(story), story.effects()]).toEqual([[], ['ticket late_effect', 'ticket failed_after_pivot']]);
    expect(story.controls('retry', 'a').message).toContain('failed after it took effect');
    expect(story.asks('a', {}, 0).types).toEqual([]);
    expect(story.controls('done_by_hand', 'a').types).toEqual(['saga_controlled', 'saga_ended']);
  });

  test('a denied call stays the only one that may run: a skip of its level starts no other tool', () => {
    const story = skip(pivoted(), 0).asks('a', {}, 1).ends('a', 'denied').controls('retry', 'a');
    expect(levels(story)).toEqual([1]);
    expect(skip(story, 1).types).toEqual(['saga_level_skipped', 'saga_ticket_opened']);
    expect(levels(story)).toEqual([]);
  });
});
