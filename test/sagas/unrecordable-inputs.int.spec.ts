import type { Binding } from '@countersign/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { literal, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

let platform: SagaPlatform;
beforeAll(async () => {
  platform = await SagaPlatform.open();
}, 60_000);
afterAll(() => platform.close());

/** Half of a surrogate pair. */
const half: Binding = { expression: String.raw`"\ud83d"` };
/** 720,000 bytes. */
const large: Binding = { expression: `$join([1..2000].("${'€'.repeat(120)}"))` };

const messagesOf = async (saga_id: string): Promise<string[]> =>
  (await platform.records(saga_id)).flatMap(({ event }) => ('error' in event && event.error ? [event.error.message] : []));

test.each([
  ['no-text', literal('x.txt'), half, 'no valid JSON'],
  ['too-large', large, large, 'at most 1048576 are allowed'],
])('%s: inputs that cannot be recorded fail their step, and what was done before is undone', async (id, path, content, why) => {
  platform.write(`${id}1.txt`, 'one');
  await platform.start(id, saga(sequence(move('one', `${id}1.txt`, `${id}2.txt`), step('two', 'write_file', { path, content }))));
  const story = await platform.ended(id);
  expect(story).toEqual(['started', 'one?', 'one succeeded', 'two failed', 'undo one?', 'undo one executed', 'compensated']);
  expect((await messagesOf(id))[0]).toMatch(new RegExp(`the inputs of two .*${why}`));
  expect(platform.read(`${id}1.txt`)).toBe('one');
});

test('an undo whose inputs cannot be recorded is left to a person', async () => {
  platform.write('undo1.txt', 'one');
  const compensation = { tool: 'write_file', version: '^1.0.0', inputs: { path: literal('undo.txt'), content: half } };
  await platform.start('undo', saga(sequence(move('one', 'undo1.txt', 'undo2.txt', { compensation }), read('fails', 'missing.txt'))));
  const story = await platform.reaches('undo', 'saga_ticket_opened');
  expect(story.slice(-3)).toEqual(['fails failed', 'undo one failed', 'ticket compensation_failed']);
  await platform.control('undo', 'accept', 'one');
  expect((await platform.ended('undo')).at(-1)).toBe('compensation_failed');
});
