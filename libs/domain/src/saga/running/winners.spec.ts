import { expect, test } from 'vitest';
import { Story, sequence, step } from '../../testing/sagas/story.js';
import type { Block } from '../definition/definition.js';

const first: Block = { kind: 'parallel', join: { kind: 'first_success' }, branches: [step('c'), step('d')] };
const root: Block = { kind: 'parallel', join: { kind: 'first_success' }, branches: [sequence(step('a'), step('b')), first] };
const EFFECT = { resources: ['x'] };

// Found by the simulation, seed 1142959 of a run over 200,000 seeds.
test('a branch that lost does not win later because its own losers were settled', () => {
  const story = new Story(root)
    .asks('a', { resources: ['a'] })
    .asks('c', EFFECT)
    .asks('d', { ...EFFECT, compensation_tool: null });
  story
    .ends('c')
    .ends('d', 'succeeded')
    .ends('a')
    .asks('b', { resources: ['b'] })
    .ends('b');
  expect(story.effects()).toContain('ticket compensation_failed');
  expect(story.controls('accept', 'd').effects()).toEqual(['prepare_undo c']);
  expect(story.undone('c').types).toEqual(['compensation_executed', 'saga_ended']);
  expect(story.saga.ended).toBe('completed');
  expect(['a', 'b'].map((name) => story.saga.steps.get(name)?.runs[0]?.undo)).toEqual([null, null]);
});
