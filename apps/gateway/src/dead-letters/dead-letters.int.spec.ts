import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { topicSpecs } from '@countersign/process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { DeadLetterView } from './dead-letter-view.js';
import { DeadLettersModule } from './dead-letters.module.js';
import { DeadLettersService } from './dead-letters.service.js';

const codec = new EventCodec();
const SECRET = 'csk_secret_of_the_payload';
let dir: string;
let log: EmbeddedEventLog;
let app: FeatureApp;
let view: DeadLetterView;

async function setAside(tenant_id: string, ...offsets: number[]): Promise<void> {
  const meta = { event_id: 'e', tenant_id, call_id: null, attempt: 0, causation_id: null, correlation_id: '', hlc: 1, partition: 0 };
  const source = { source_topic: 'tool-executed', source_partition: 0, consumer: 'policy', cause: 'TypeError: no such field' };
  const values = offsets.map((source_offset) =>
    codec.encode('record_dead_lettered', { meta, ...source, source_offset, value: Buffer.from(SECRET), dead_lettered_at_ms: 1000 }),
  );
  await log.append(values.map((value) => ({ topic: 'dead-letter', partition: 0, key: null, value, headers: {} })));
}

const listed = async (query = '') => (await app.send('GET', `/v1/dead-letters${query}`, { role: 'operator' })).body;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-dead-letters-'));
  log = await EmbeddedEventLog.open({ dir });
  await log.ensureTopics(topicSpecs(['shared'], 1));
  view = new DeadLetterView(log, codec, { records_max: 50, per_tenant_max: 3 });
  app = await FeatureApp.open(DeadLettersModule, [{ provide: DeadLetterView, useValue: view }]);
});
afterAll(async () => {
  await app.close();
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

test('operators read the dead letters of their tenant; others do not', async () => {
  expect((await app.send('GET', '/v1/dead-letters')).status).toBe(401);
  expect((await app.send('GET', '/v1/dead-letters', { role: 'auditor' })).status).toBe(403);
  expect(await listed()).toEqual({ items: [], next_cursor: null });
});

test('a list has position, consumer, cause and length of each record, page by page, without bytes or other tenants', async () => {
  await setAside('rival', 70);
  await setAside('acme', 1, 2);
  await setAside('', 71);
  const first = await listed('?limit=1');
  expect(first.items).toEqual([
    {
      ...{ topic: 'tool-executed', partition: 0, offset: 2, consumer: 'policy', cause: 'TypeError: no such field' },
      ...{ call_id: null, event_id: null, value_bytes: SECRET.length, dead_lettered_at: '1970-01-01T00:00:01.000Z' },
    },
  ]);
  const rest = await listed(`?limit=5&cursor=${first.next_cursor}`);
  expect([rest.items.map(({ offset }: { offset: number }) => offset), rest.next_cursor]).toEqual([[1], null]);
  expect(JSON.stringify([first, rest])).not.toContain(SECRET);
});

test('records that could not be decoded have no tenant: only the default tenant sees them', async () => {
  const service = new DeadLettersService(view);
  expect((await service.list('default', { limit: 9 })).items.map(({ offset }) => offset)).toEqual([71]);
  expect((await service.list('rival', { limit: 9 })).items.map(({ offset }) => offset)).toEqual([70]);
});

test('a record that is not a dead letter is skipped, and a tenant keeps its newest whatever others do', async () => {
  await log.append([{ topic: 'dead-letter', partition: 0, key: null, value: Buffer.from('no event'), headers: {} }]);
  await setAside('acme', 3, 4, 5);
  await setAside('rival', ...Array.from({ length: 20 }, (_, i) => 100 + i));
  const lists = await Promise.all([listed(), listed(), listed()]);
  for (const { items } of lists) expect(items.map(({ offset }: { offset: number }) => offset)).toEqual([5, 4, 3]);
});

test('only the newest records of a long topic are read', async () => {
  await setAside('acme', 6);
  await setAside('rival', ...Array.from({ length: 10 }, (_, i) => 200 + i));
  const short = new DeadLetterView(log, codec, { records_max: 10, per_tenant_max: 300 });
  expect(await short.of('acme')).toEqual([]);
  expect(await short.of('rival')).toHaveLength(10);
});
