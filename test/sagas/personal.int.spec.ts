import { SEALED } from '@countersign/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { from, literal, move, read, saga, sequence, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

let platform: SagaPlatform;
beforeAll(async () => {
  platform = await SagaPlatform.open();
  const rule = { tools: ['write_file', 'read_file', 'move_file'], subjects: ['/path', '/source'], output: [{ path: '/content' }] };
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

describe('personal data that was erased while a saga waited', () => {
  const wait = { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 600_000, on_timeout: 'fail' } as const;
  const content = { pointer: from('/steps/look/output/content'), expression: { expression: 'steps.look.output.content' } };
  const erased = async (saga_id: string, subject: string) => {
    await platform.reaches(saga_id, 'saga_wait_opened');
    const { status } = await platform.admin().request('POST', `/v1/subjects/${subject}/erase`, { reason: 'a spec' });
    expect(status).toBe(200);
    await platform.answer(saga_id, 'go', {});
  };
  const messagesOf = async (saga_id: string): Promise<string[]> =>
    (await platform.records(saga_id)).flatMap(({ event }) => ('error' in event && event.error ? [event.error.message] : []));

  test.each(Object.entries(content))('fails the step that reads it (%s)', async (id, binding) => {
    platform.write(`${id}.txt`, 'about cleo');
    const copy = step('copy', 'write_file', { path: literal(`${id}-copy.txt`), content: binding });
    await platform.start(id, saga(sequence(read('look', `${id}.txt`), wait, copy)));
    await erased(id, `${id}.txt`);
    expect((await platform.ended(id)).slice(-2)).toEqual(['copy failed', 'aborted']);
    expect(await messagesOf(id)).toEqual([expect.stringContaining('the personal data in it was erased')]);
    expect(platform.read(`${id}-copy.txt`)).toBeUndefined();
  });

  test('fails the undo that reads it, and a person decides', async () => {
    platform.write('dan.txt', 'about dan');
    const inputs = { path: literal('dan-undo.txt'), content: content.pointer };
    platform.write('dan1.txt', 'one');
    const one = move('one', 'dan1.txt', 'dan2.txt', { compensation: { tool: 'write_file', version: '^1.0.0', inputs } });
    await platform.start('undo', saga(sequence(read('look', 'dan.txt'), one, wait, read('fails', 'missing.txt'))));
    await erased('undo', 'dan.txt');
    const story = await platform.reaches('undo', 'saga_ticket_opened');
    expect(story.slice(-2)).toEqual(['undo one failed', 'ticket compensation_failed']);
    expect((await messagesOf('undo')).at(-1)).toContain('the personal data in it was erased');
    expect(platform.read('dan-undo.txt')).toBeUndefined();
  });
});
