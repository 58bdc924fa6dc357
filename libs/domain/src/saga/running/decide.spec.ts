import { describe, expect, test } from 'vitest';
import { by, Story, sequence, step } from '../../testing/sagas/story.js';
import type { Block } from '../definition/definition.js';
import { decideSaga } from './decide.js';
import { sagaEffectsOf, sagaStatusOf } from './effects.js';
import { evolveSaga } from './evolve.js';

describe('forward', () => {
  test('steps run in order, each is recorded before it is called, and the saga completes once', () => {
    const story = new Story(sequence(step('a'), step('b')));
    expect([sagaStatusOf(story.saga), story.effects()]).toEqual(['pending', ['prepare a']]);
    expect(story.asks('a').types).toEqual(['saga_step_requested']);
    expect(story.effects()).toEqual(['call a']);
    expect(story.asks('a').types).toEqual([]);
    expect(story.ends('a').effects()).toEqual(['prepare b']);
    expect(story.ran('b').types).toEqual(['saga_step_ended', 'saga_ended']);
    expect(sagaStatusOf(story.saga)).toBe('completed');
    expect(story.ends('b').types).toEqual([]);
  });

  test('the next level starts after a failure without an effect, never after a denial or in doubt', () => {
    const root = () => step('a', { fallbacks: [{ tool: 'other', version: '1.0.0', inputs: {} }] });
    const levels = (story: Story) => sagaEffectsOf(story.saga).flatMap((effect) => (effect.kind === 'prepare' ? [effect.level] : []));
    expect(levels(new Story(root()).asks('a').ends('a', 'failed'))).toEqual([1]);
    expect(sagaStatusOf(new Story(root()).asks('a').ends('a', 'denied').saga)).toBe('aborted');
    const doubt = new Story(root()).asks('a').ends('a', 'in_doubt', 'unknown');
    expect(doubt.effects()).toEqual(['follow a', 'ticket in_doubt']);
    expect(levels(doubt.when({ kind: 'evidence', of_call_id: doubt.call('a'), direction: 'forward', happened: false }))).toEqual([1]);
  });

  test('the last level is done by a person, whose time does not count', () => {
    const story = new Story(step('a', { manual: 'do it' }), 500).asks('a').ends('a', 'failed');
    expect([sagaStatusOf(story.saga), story.effects()]).toEqual(['awaiting_approval', ['await a', 'timer']]);
    story.now_ms = 900;
    story.when({
      kind: 'wait_answered',
      step_id: 'a',
      is_refused: false,
      answer_json: '{}',
      reason: null,
      by,
      command_id: null,
      source: null,
    });
    expect(sagaStatusOf(story.saga)).toBe('completed');
  });

  test('a step gets its share of the remaining time, by estimate', () => {
    const story = new Story(sequence(step('a'), step('b')), 800).asks('a');
    expect(story.saga.steps.get('a')?.runs[0]?.deadline_at_ms).toBe(200);
  });

  test('a losing branch is cancelled, undone if it took effect, and keeps the join open while in doubt', () => {
    const story = new Story({ kind: 'parallel', join: { kind: 'first_success' }, branches: [step('a'), step('b')] }).asks('a').asks('b');
    expect(story.ends('a').types).toEqual(['saga_step_ended', 'saga_step_cancel_requested']);
    expect(story.effects()).toEqual(['call b', 'cancel_call']);
    expect(story.ends('b', 'in_doubt', 'unknown').effects()).toEqual(['follow b', 'ticket in_doubt']);
    story.when({ kind: 'evidence', of_call_id: story.call('b'), direction: 'forward', happened: true });
    expect(story.effects()).toEqual(['prepare_undo b']);
    expect(story.undone('b').types).toEqual(['compensation_executed', 'saga_ended']);
    expect(sagaStatusOf(story.saga)).toBe('completed');
  });

  test('a map runs at most as many items concurrently as its cap', () => {
    const story = new Story({
      kind: 'map',
      name: 'm',
      over: { from: '/inputs/x' },
      concurrency: 2,
      join: { kind: 'all' },
      body: step('a'),
    });
    expect(story.when({ kind: 'list_read', block_id: 'm', items: 3 }).effects()).toEqual(['prepare a[0]', 'prepare a[1]']);
    expect(story.ran('a[1]').effects()).toEqual(['prepare a[0]', 'prepare a[2]']);
  });
});

describe('compensation', () => {
  const three = () => new Story(sequence(step('a'), step('b'), step('c'))).ran('a').ran('b').asks('c');

  test('effects on one resource are undone newest first, effects on other resources concurrently', () => {
    const story = three().ends('c', 'failed');
    expect(story.types).toEqual(['saga_step_ended', 'saga_compensation_started']);
    expect(story.effects()).toEqual(['prepare_undo b']);
    expect(story.undone('b').effects()).toEqual(['prepare_undo a']);
    expect(story.undone('a').types).toEqual(['compensation_executed', 'saga_ended']);
    expect(sagaStatusOf(story.saga)).toBe('compensated');
    const apart = new Story(sequence(step('a'), step('b'), step('c')))
      .ran('a', { resources: ['x'] })
      .ran('b', { resources: ['y'] })
      .asks('c');
    expect(apart.ends('c', 'failed').effects()).toEqual(['prepare_undo a', 'prepare_undo b']);
  });

  test('a doubt blocks the compensations of steps before it until it is over', () => {
    const story = three().ends('c', 'in_doubt', 'unknown').controls('cancel');
    expect(story.effects()).toEqual(['follow c', 'ticket in_doubt']);
    story.when({ kind: 'evidence', of_call_id: story.call('c'), direction: 'forward', happened: true });
    expect(story.effects()).toEqual(['prepare_undo c']);
  });

  test('after a failed compensation the others continue, then a person decides; a retry has the same key', () => {
    const story = three().ends('c', 'failed').undone('b', 'failed').undone('a');
    expect([sagaStatusOf(story.saga), story.effects()]).toEqual(['compensation_failed', ['ticket compensation_failed']]);
    const key = story.saga.steps.get('b')?.runs[0]?.undo?.key;
    expect(story.controls('retry', 'b').undone('b').types).toEqual(['compensation_executed', 'saga_ended']);
    expect(story.saga.steps.get('b')?.runs[0]?.undo?.key).toBe(key);
    expect(sagaStatusOf(story.saga)).toBe('compensated');
    expect(sagaStatusOf(three().ends('c', 'failed').undone('b', 'failed').undone('a').controls('accept').saga)).toBe('compensation_failed');
  });

  test('an effect without a compensation must be undone by a person', () => {
    const story = new Story(sequence(step('a'), step('b'))).ran('a', { compensation_tool: null }).asks('b').ends('b', 'failed');
    expect(story.effects()).toEqual(['ticket compensation_failed']);
    expect(story.controls('retry', 'a').message).toMatch('undo it by hand');
    expect(sagaStatusOf(story.controls('done_by_hand', 'a').saga)).toBe('compensated');
  });
});

test('an expression that fails makes its block fail, and so does an endless list', () => {
  const map: Block = { kind: 'map', name: 'm', over: { from: '/inputs/x' }, concurrency: 1, join: { kind: 'all' }, body: step('b') };
  const story = new Story(sequence(step('a'), map)).ran('a').when({ kind: 'list_read', block_id: 'm', items: 10_001 });
  expect([story.types, story.effects()]).toEqual([['saga_step_ended', 'saga_compensation_started'], ['prepare_undo a']]);
});

describe('time and people', () => {
  test('at the deadline running calls are cancelled, and the saga compensates once they have ended', () => {
    const story = new Story(sequence(step('a'), step('b')), 100).ran('a').asks('b');
    story.now_ms = 100;
    expect(story.when({ kind: 'timer' }).types).toEqual(['saga_timer_fired', 'saga_step_cancel_requested']);
    expect(story.ends('b', 'cancelled').effects()).toEqual(['prepare_undo a']);
  });

  test('a pause starts nothing, stops the clock, and ends by itself after wait_max', () => {
    const story = new Story(step('a'), 500).controls('pause');
    expect([story.effects(), story.asks('a').types, story.controls('pause').message]).toEqual([
      ['timer'],
      [],
      'the saga is paused already: resume it first',
    ]);
    story.now_ms = 1_000;
    expect(story.when({ kind: 'timer' }).types).toEqual(['saga_timer_fired']);
    expect(sagaEffectsOf(story.saga)).toContainEqual({ kind: 'timer', at_ms: 1_500 });
  });

  test('a repeated control command counts once, and none counts after the end', () => {
    const story = new Story(step('a'));
    const cancel = { kind: 'control', command_id: 'same', act: 'cancel', step_id: null, reason: null, by, source: null } as const;
    expect(story.when(cancel).types).toEqual(['saga_controlled', 'saga_compensation_started', 'saga_ended']);
    expect([story.when(cancel).types, story.message, story.controls('pause').message]).toEqual([[], '', 'the saga has ended as aborted']);
  });

  test('late evidence of an effect opens a ticket, even after the end, and undoes nothing by itself', () => {
    const story = new Story(sequence(step('a'), step('b'))).asks('a').ends('a', 'failed');
    expect(sagaStatusOf(story.saga)).toBe('aborted');
    const evidence = { kind: 'evidence', of_call_id: story.call('a'), direction: 'forward', happened: true } as const;
    expect(story.when(evidence).types).toEqual(['saga_evidence_recorded', 'saga_ticket_opened']);
    expect([story.effects(), sagaStatusOf(story.saga), story.when(evidence).types]).toEqual([['ticket late_effect'], 'aborted', []]);
  });

  test('a person answers a late effect, also after the end: done by hand or accepted, for its step only, and once', () => {
    const story = new Story(sequence(step('a'), step('b'))).asks('a').ends('a', 'failed');
    story.when({ kind: 'evidence', of_call_id: story.call('a'), direction: 'forward', happened: true });
    for (const [act, of] of [
      ['retry', 'a'],
      ['accept', 'b'],
      ['accept', undefined],
      ['cancel', undefined],
    ] as const)
      expect([story.controls(act, of).types, story.message]).toEqual([[], 'the saga has ended as aborted']);
    expect([story.controls('accept', 'a').types, story.saga.tickets, story.saga.ended]).toEqual([['saga_controlled'], [], 'aborted']);
    expect([story.controls('done_by_hand', 'a').types, story.message]).toEqual([[], 'the saga has ended as aborted']);
  });

  test('an answer to a late effect of a step that another level replaced changes nothing of the step', () => {
    const story = new Story(sequence(step('a', { fallbacks: [{ tool: 'other', version: '1.0.0', inputs: {} }] }), step('b'))).asks('a');
    const first = story.call('a');
    story.ends('a', 'failed').asks('a', {}, 1).ends('a');
    story.when({ kind: 'evidence', of_call_id: first, direction: 'forward', happened: true });
    const before = story.saga.steps.get('a');
    expect(story.effects()).toEqual(['prepare b', 'ticket late_effect']);
    expect([story.controls('accept', 'a').types, story.saga.tickets]).toEqual([['saga_controlled'], []]);
    expect(story.saga.steps.get('a')).toEqual(before);
  });

  test('records of a decision that were lost in a crash are written when the log was read', () => {
    const story = new Story(step('a')).asks('a');
    const decision = decideSaga(
      {
        kind: 'step_ended',
        now_ms: 0,
        call_id: story.call('a'),
        status: 'succeeded',
        effect: 'happened',
        error: null,
        effect_key: 'k',
        effect_attempt: 1,
        is_repaired: false,
      },
      story.state,
    );
    if (decision.kind === 'recorded') story.state = decision.facts.slice(0, 1).reduce(evolveSaga, story.state);
    expect(story.effects()).toEqual([]);
    expect(story.when({ kind: 'recovered' }).types).toEqual(['saga_ended']);
  });
});
