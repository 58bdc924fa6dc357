import { expect, test } from 'vitest';
import { Story, step } from '../../testing/sagas/story.js';
import type { Block } from '../definition/definition.js';
import { ITEMS_MAX } from './decide-step.js';

const map = (name: string, body: Block): Block => ({
  kind: 'map',
  name,
  over: { from: '/inputs/list' },
  concurrency: 2,
  join: { kind: 'all' },
  body,
});
const read = (story: Story, block_id: string, items: number) => story.when({ kind: 'list_read', block_id, items });

test('lists within lists count together: a saga whose lists are too long fails', () => {
  const story = read(new Story(map('outer', map('inner', step('a')))), 'outer', 2);
  expect(read(story, 'inner[0]', ITEMS_MAX - 2).types).toEqual(['saga_block_entered']);
  expect(read(story, 'inner[1]', 1).types).toContain('saga_step_ended');
  expect(story.saga.steps.get('inner[1]')?.mark).toBe('unprepared');
});

test('a repeated evidence of an effect that is known changes nothing: the effect is still undone with its saga', () => {
  const story = new Story({ kind: 'sequence', blocks: [step('a'), step('b')] }).asks('a').ends('a', 'in_doubt', 'unknown');
  const evidence = { kind: 'evidence', of_call_id: story.call('a'), direction: 'forward', happened: true } as const;
  story.when(evidence).when(evidence);
  expect(story.saga.steps.get('a')?.runs[0]?.end).toMatchObject({ effect: 'happened', is_late: false });
});
