import type { SagaUndoneEffect } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { Story } from '../../testing/sagas/story.js';
import { sagaStatusOf } from './effects.js';

const effect = (name: string, resources: string[] = ['r'], attempt = 1): SagaUndoneEffect => ({
  ...{ step_id: name, call_id: `call ${name}`, tool: 'move', version: '1.0.0', key: `key ${name}`, attempt, resources },
  happened_at_ms: 1,
});

test('a saga of earlier calls starts by undoing them, newest first and one after the other', () => {
  const story = Story.undoing([effect('a'), effect('b', ['other']), effect('c')]);
  expect(story.types).toEqual(['saga_started', 'saga_compensation_started']);
  expect([sagaStatusOf(story.saga), story.saga.turned?.cause, story.effects()]).toEqual(['compensating', 'requested', ['prepare_undo c']]);
  expect(story.undone('c').effects()).toEqual(['prepare_undo b']);
  expect(story.undone('b').undone('a').types).toEqual(['compensation_executed', 'saga_ended']);
  expect(story.saga.ended).toBe('compensated');
});

test('an undo that waits for a person holds up only older effects on the same resources', () => {
  const story = Story.undoing([effect('a'), effect('b', ['other']), effect('c')]).requestsUndo('c');
  expect(story.effects()).toEqual(['call_undo c']);
  const call_id = story.undoCall('c');
  expect(story.when({ kind: 'approval_opened', call_id }).types).toEqual(['saga_wait_opened']);
  expect(story.effects()).toEqual(['call_undo c', 'prepare_undo b', 'timer']);
  expect(story.undone('b').effects()).toEqual(['call_undo c', 'timer']);
  expect(story.endsUndo('c').types).toEqual(['saga_wait_ended', 'compensation_executed']);
  expect(story.effects()).toEqual(['prepare_undo a']);
});

test('the key of each undo comes from its effect, so that every other undo of it joins', () => {
  const { key_text } = Story.undoing([effect('a', ['r'], 3)]).undoEffect('a');
  expect(key_text).toBe('["compensate","key a",3]');
});

test('after an undo that failed the others go on, older ones on its resource too, and a person decides', () => {
  const story = Story.undoing([effect('a'), effect('b')]).undone('b', 'failed');
  expect(story.effects()).toEqual(['prepare_undo a', 'ticket compensation_failed']);
  expect(sagaStatusOf(story.undone('a').saga)).toBe('compensation_failed');
  expect(story.controls('retry', 'b').undone('b').saga.ended).toBe('compensated');
});

test('a process that died after the first record goes on from there', () => {
  const story = Story.undoing([effect('a')]).cutAfter(1);
  expect(story.effects()).toEqual([]);
  expect(story.when({ kind: 'recovered' }).types).toEqual(['saga_compensation_started']);
});

test('it can be paused, and never cancelled or turned forward', () => {
  const story = Story.undoing([effect('a')]).controls('pause');
  expect([story.effects(), story.controls('cancel').message]).toEqual([['timer'], 'the saga is being cancelled or undone already']);
  expect(story.controls('resume').effects()).toEqual(['prepare_undo a']);
});
