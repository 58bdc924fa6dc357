import { describe, expect, test } from 'vitest';
import { Story, sequence, step } from '../../testing/sagas/story.js';
import type { Block } from '../definition/definition.js';
import { sagaStatusOf } from './effects.js';

describe('the pivot', () => {
  const beyond = () =>
    new Story(sequence(step('a'), step('p'), step('b'), step('c')))
      .ran('a')
      .ran('p', { is_irreversible: true })
      .ran('b')
      .asks('c')
      .ends('c', 'failed');

  test('after an irreversible step took effect the saga runs only forward: retry with the same key, by hand, or accept', () => {
    const story = beyond();
    expect([story.types, story.effects()]).toEqual([['saga_step_ended', 'saga_ticket_opened'], ['ticket failed_after_pivot']]);
    expect(story.controls('retry', 'c').effects()).toEqual(['prepare c']);
    story.asks('c', { key: 'another', inputs_json: '{"n":2}' });
    const [first, second] = story.saga.steps.get('c')?.runs ?? [];
    expect([second?.key, second?.inputs_json, second?.attempt]).toEqual([first?.key, first?.inputs_json, 2]);
    expect(sagaStatusOf(story.ends('c').saga)).toBe('completed');
    expect(sagaStatusOf(beyond().controls('accept', 'c').saga)).toBe('completed');
  });

  test('a cancelled saga is undone back to the pivot; the pivot and all earlier effects stay', () => {
    const story = beyond().controls('cancel');
    expect(story.effects()).toEqual(['prepare_undo b']);
    expect(sagaStatusOf(story.undone('b').saga)).toBe('compensated');
  });

  const doubtful = (): Story =>
    new Story({ kind: 'parallel', join: { kind: 'all' }, branches: [sequence(step('a'), step('p')), sequence(step('b'), step('c'))] })
      .ran('a')
      .asks('p', { is_irreversible: true })
      .ends('p', 'in_doubt', 'unknown')
      .ran('b')
      .asks('c')
      .ends('c', 'failed');
  const known = (story: Story, happened: boolean): Story =>
    story.when({ kind: 'evidence', of_call_id: story.call('p'), direction: 'forward', happened });

  test('while an irreversible step is in doubt a failure does not turn the saga: it waits for evidence, and undoes nothing', () => {
    const story = doubtful();
    expect([story.types, story.effects(), sagaStatusOf(story.saga)]).toEqual([
      ['saga_step_ended'],
      ['follow p', 'ticket in_doubt'],
      'running',
    ]);
    expect(story.controls('retry', 'c').message).toMatch(/^retry: no failed compensation/);
  });

  test('if the irreversible step in doubt took effect, it is the pivot: the failed step asks a person, and can be retried', () => {
    const story = known(doubtful(), true);
    expect([story.types, story.effects()]).toEqual([['saga_evidence_recorded', 'saga_ticket_opened'], ['ticket failed_after_pivot']]);
    expect(sagaStatusOf(story.controls('retry', 'c').ran('c').saga)).toBe('completed');
  });

  test('if the irreversible step in doubt did not take effect, the saga turns and undoes everything', () => {
    const story = known(doubtful(), false);
    expect([story.types, story.effects()]).toEqual([['saga_evidence_recorded', 'saga_compensation_started'], ['prepare_undo b']]);
    expect(sagaStatusOf(story.undone('b').undone('a').saga)).toBe('compensated');
  });

  test('a person can cancel meanwhile: what is newer than the step in doubt is undone at once, what is older once the doubt is over', () => {
    const story = doubtful().controls('cancel');
    expect([story.types, story.effects()]).toEqual([
      ['saga_controlled', 'saga_compensation_started'],
      ['follow p', 'prepare_undo b', 'ticket in_doubt'],
    ]);
    expect(sagaStatusOf(known(story.undone('b'), true).saga)).toBe('compensated');
    const other = known(doubtful().controls('cancel').undone('b'), false);
    expect(other.effects()).toEqual(['prepare_undo a']);
  });

  test('the deadline does not turn it either: nothing starts, and after the evidence it goes on or turns', () => {
    const overdue = () =>
      new Story(sequence(step('a'), step('p'), step('b')), 100)
        .ran('a')
        .asks('p', { is_irreversible: true })
        .ends('p', 'in_doubt', 'unknown')
        .at(100)
        .when({ kind: 'timer' });
    const story = overdue();
    expect([story.types, story.effects()]).toEqual([['saga_timer_fired'], ['follow p', 'ticket in_doubt']]);
    expect(known(story, true).effects()).toEqual(['prepare b', 'ticket overdue_after_pivot']);
    expect(known(overdue(), false).effects()).toEqual(['prepare_undo a']);
  });

  test('a compensation requested before a later pivot took effect is awaited, and its failure opens a ticket', () => {
    const first: Block = { kind: 'parallel', join: { kind: 'first_success' }, branches: [step('a'), step('b')] };
    const story = new Story({ kind: 'parallel', join: { kind: 'all' }, branches: [first, step('p')] });
    story.asks('a').asks('b').asks('p', { is_irreversible: true }).ends('a').ends('b');
    const undo = { call_id: 'undo-b', key: 'u', tool: 'undo', version: '1.0.0', inputs_json: '{}', deadline_at_ms: 9, reason: '' };
    story
      .when({ kind: 'undo_prepared', of_call_id: story.call('b'), ...undo })
      .ends('p')
      .controls('cancel');
    expect([sagaStatusOf(story.saga), story.effects()]).toEqual(['compensating', ['call_undo b']]);
    const end = { of_call_id: story.call('b'), call_id: 'undo-b', error: null, duration_ms: 1, retry_count: 0 };
    story.when({ kind: 'undo_ended', ...end, result: 'failed' });
    expect([sagaStatusOf(story.saga), story.effects()]).toEqual(['compensation_failed', ['ticket compensation_failed']]);
    expect(sagaStatusOf(story.controls('accept').saga)).toBe('compensation_failed');
    expect(story.saga.ended).toBe('compensation_failed');
  });
});
