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
