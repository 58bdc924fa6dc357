import { SEALED } from '@countersign/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { from, literal, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

let platform: SagaPlatform;
beforeAll(async () => {
  platform = await SagaPlatform.open();
  const rule = { tools: ['write_file', 'read_file', 'move_file'], subjects: ['/path', '/source'] };
  const { status } = await platform.admin().request('PUT', '/v1/personal-data/files', rule);
  expect(status).toBe(200);
}, 60_000);
afterAll(() => platform.close());

test('the inputs of steps with personal data are sealed on the record, and the steps run with them', async () => {
  const write = step('write', 'write_file', { path: from('/inputs/path'), content: literal('about ann') });
  const look = step('look', 'read_file', { path: from('/inputs/path') });
  const copy = step('copy', 'write_file', { path: literal('copy.txt'), content: from('/steps/look/output/content') });
  platform.write('ann.txt', 'about ann');
  await platform.start('personal', saga(sequence(look, copy)), { path: 'ann.txt' });
  expect((await platform.ended('personal')).at(-1)).toBe('completed');
  expect(platform.read('copy.txt')).toBe('about ann');
  await platform.start('personal-write', saga(write), { path: 'bob.txt' });
  expect((await platform.ended('personal-write')).at(-1)).toBe('completed');
  const records = [...(await platform.records('personal')), ...(await platform.records('personal-write'))];
  const inputs = records.flatMap((record) => (record.event_type === 'saga_step_requested' ? [record.event.inputs_json] : []));
  expect(inputs.every((json) => json.includes(SEALED) && !json.includes('ann.txt') && !json.includes('bob.txt'))).toBe(true);
});

test('a compensation of a step with personal data runs', async () => {
  platform.write('p1.txt', 'p');
  await platform.start('personal-undo', saga(sequence(move('one', 'p1.txt', 'p2.txt'), read('fails', 'missing.txt'))));
  expect((await platform.ended('personal-undo')).at(-1)).toBe('compensated');
  expect(platform.read('p1.txt')).toBe('p');
});
