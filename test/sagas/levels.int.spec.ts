import { afterAll, beforeAll, expect, test } from 'vitest';
import { literal, read, saga, step } from './blocks.js';
import { SagaPlatform } from './saga-platform.js';

let platform: SagaPlatform;
beforeAll(async () => {
  platform = await SagaPlatform.open();
}, 60_000);
afterAll(() => platform.close());

const fallback = (tool: string, inputs: object) => ({ tool, version: '^1.0.0', inputs: literals(inputs) });
const literals = (inputs: object) => Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, literal(value)]));

test('a read whose inputs fail validation is called again with repaired inputs, which are on the record', async () => {
  const search = step('search', 'search_files', literals({ pattern: '*.txt', limit: '7' }), { repair: true });
  await platform.start('repaired', saga(search));
  expect(await platform.ended('repaired')).toEqual(['started', 'search?', 'search failed', 'search?', 'search succeeded', 'completed']);
  const requests = (await platform.records('repaired')).flatMap((record) =>
    record.event_type === 'saga_step_requested' ? [record.event] : [],
  );
  expect(requests.map(({ inputs_json }) => JSON.parse(inputs_json).limit)).toEqual(['7', 7]);
  expect(requests[1]?.repairs).toEqual([expect.stringContaining('/limit')]);
});

test('without `repair` the same read fails', async () => {
  await platform.start('unrepaired', saga(step('search', 'search_files', literals({ pattern: '*.txt', limit: '7' }))));
  expect(await platform.ended('unrepaired')).toEqual(['started', 'search?', 'search failed', 'aborted']);
});

test('a call that takes longer than its share of the time is cancelled, and the next level answers with less confidence', async () => {
  platform.write('quick.txt', 'q');
  const slow = step('slow', 'probe_slow', literals({ duration_ms: 60_000 }), { fallbacks: [fallback('read_file', { path: 'quick.txt' })] });
  await platform.start('timed', saga(slow, { deadline_ms: 8_000 }));
  expect(await platform.ended('timed')).toEqual(['started', 'slow?', 'slow failed', 'slow?1', 'slow succeeded', 'completed']);
  const records = await platform.records('timed');
  const ended = records.flatMap((record) => (record.event_type === 'saga_step_ended' ? [record.event] : []));
  expect(ended[0]?.error?.code).toBe('TIMEOUT');
  expect(await platform.envelope(ended[1]?.call_id as string)).toMatchObject({
    saga: { saga_id: 'timed', step_id: 'slow', level: 1, attempt: 2 },
    provenance: { confidence: 0.9 },
  });
});

test('a level whose circuit is open is skipped on the record, and the next one runs', async () => {
  platform.write('open.txt', 'o');
  await platform.openCircuit('probe_read', '1.0.0');
  const look = step('look', 'probe_read', literals({}), { fallbacks: [fallback('read_file', { path: 'open.txt' })] });
  await platform.start('skips', saga(look));
  const story = await platform.ended('skips');
  expect(story).toEqual(['started', 'look skipped: circuit_open', 'look?1', 'look succeeded', 'completed']);
});

test('a step without a level that can run fails, and a manual level asks a person', async () => {
  await platform.openCircuit('probe_read', '1.0.0');
  const manual = step('look', 'probe_read', literals({}), { manual: 'read the meter' });
  await platform.start('manual', saga(manual));
  await platform.reaches('manual', 'saga_wait_opened');
  await platform.answer('manual', 'look', { value: 3 });
  expect(await platform.ended('manual')).toEqual([
    ...['started', 'look skipped: circuit_open', 'wait look', 'wait look answered', 'completed'],
  ]);
});

test('a read that does not exist fails without a repair', async () => {
  await platform.start('no-repair', saga(read('look', 'none.txt', { repair: true })));
  expect((await platform.ended('no-repair')).at(-1)).toBe('aborted');
});
