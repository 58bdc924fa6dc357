import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordWriter } from '@countersign/calls';
import { EventCodec, uuidv7 } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { systemClock, topicSpecs } from '@countersign/process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FeatureApp } from '../testing/feature-app.js';
import { OperatorCommands } from '../usage/operator-commands.js';
import { DeadLetterView } from './dead-letter-view.js';
import { DeadLettersModule } from './dead-letters.module.js';
import { DeadLettersService } from './dead-letters.service.js';
import { RequeueView } from './requeue-view.js';

const codec = new EventCodec();
const SECRET = 'csk_secret_of_the_payload';
let dir: string;
let log: EmbeddedEventLog;
let app: FeatureApp;
let view: DeadLetterView;
let service: DeadLettersService;

const FAILED = { source_topic: 'tool-executed', consumer: 'policy', cause: 'TypeError: no such field' };

async function setAside(tenant_id: string, ...offsets: number[]): Promise<void> {
  await setAsideAs(FAILED, tenant_id, ...offsets);
}

async function setAsideAs(source: typeof FAILED, tenant_id: string, ...offsets: number[]): Promise<string> {
  const event_id = uuidv7(systemClock.now_ms());
  const meta = { event_id, tenant_id, call_id: null, attempt: 0, causation_id: null, correlation_id: '', hlc: 1, partition: 0 };
  const values = offsets.map((source_offset) =>
    codec.encode('record_dead_lettered', {
      meta,
      ...source,
      source_partition: 0,
      source_offset,
      value: Buffer.from(SECRET),
      dead_lettered_at_ms: 1000,
    }),
  );
  await log.append(values.map((value) => ({ topic: 'dead-letter', partition: 0, key: null, value, headers: {} })));
  return event_id;
}

const listed = async (query = '') => (await app.send('GET', `/v1/dead-letters${query}`, { role: 'operator' })).body;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-dead-letters-'));
  log = await EmbeddedEventLog.open({ dir });
  await log.ensureTopics(topicSpecs(['shared'], 1));
  view = new DeadLetterView(log, codec, { records_max: 50, per_tenant_max: 3 });
  const requeues = new RequeueView(log, codec);
  const commands = new OperatorCommands(new RecordWriter(log), codec, systemClock, {} as never);
  service = new DeadLettersService(view, requeues, commands);
  app = await FeatureApp.open(DeadLettersModule, [
    { provide: DeadLetterView, useValue: view },
    { provide: RequeueView, useValue: requeues },
    { provide: OperatorCommands, useValue: commands },
  ]);
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
      ...{ letter_id: expect.any(String), requeue: null, requeue_of: null, requeue_refusal: expect.stringContaining('new call') },
    },
  ]);
  const rest = await listed(`?limit=5&cursor=${first.next_cursor}`);
  expect([rest.items.map(({ offset }: { offset: number }) => offset), rest.next_cursor]).toEqual([[1], null]);
  expect(JSON.stringify([first, rest])).not.toContain(SECRET);
});

test('records that could not be decoded have no tenant: only the default tenant sees them', async () => {
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

const NOTICE = { source_topic: 'approval-granted', consumer: 'gateway-notices', cause: 'TypeError: no channel' };
const requeue = (letter_id: string, reason = 'corrected', role = 'operator') =>
  app.send('POST', `/v1/dead-letters/${letter_id}/requeue`, { role, body: { reason } });
const commands = async () => (await log.read('operator-command', 0, 0, 1_000)).map(({ value }) => codec.decode(value).event);

describe('a requeue', () => {
  beforeAll(async () => {
    const record = { topic: 'approval-granted', partition: 0, key: null, value: Buffer.from('any'), headers: {} };
    await log.append(Array.from({ length: 3 }, () => record));
  });

  test('is recorded with who asked and why, once: the second answers what the first did, whoever asks', async () => {
    const letter_id = await setAsideAs(NOTICE, 'acme', 0);
    const first = await requeue(letter_id, 'the channel is there now');
    expect([first.status, first.body]).toMatchObject([
      200,
      { letter_id, by: { kind: 'user', id: 'operator' }, reason: 'the channel is there now', repeated: false },
    ]);
    expect(first.headers['countersign-position']).toBe('operator-command:0:0');
    const again = await requeue(letter_id, 'once more', 'admin');
    expect(again.body).toEqual({ ...first.body, repeated: true });
    expect(await commands()).toMatchObject([
      { letter_id, consumer: 'gateway-notices', source_topic: 'approval-granted', source_partition: 0, source_offset: 0 },
    ]);
    expect((await listed('?limit=1')).items[0]).toMatchObject({ letter_id, requeue: { by: { id: 'operator' } }, requeue_refusal: null });
  });

  test('of many requests at the same time is the same for all', async () => {
    const letter_id = await setAsideAs(NOTICE, 'acme', 1);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => requeue(letter_id, `reason ${at}`)));
    expect(new Set(answers.map(({ body }) => JSON.stringify({ ...body, repeated: null }))).size).toBe(1);
    expect(answers.filter(({ body }) => body.repeated === false)).toHaveLength(1);
  });

  test.each([
    ['policy', 'tool-call-requested', 'Send the call again as a new call'],
    ['executor', 'policy-decided', 'resolve it if it is in doubt'],
    ['orchestrator', 'saga-requested', 'Read the saga'],
    ['projector', 'tool-executed', 'Rebuild the projections'],
  ])(
    'of a record that %s set aside is refused with what to do: handled twice it might have an effect twice',
    async (consumer, source_topic, words) => {
      const before = (await commands()).length;
      const letter_id = await setAsideAs({ ...NOTICE, consumer, source_topic }, 'acme', 0);
      const { status, body } = await requeue(letter_id);
      expect([status, body.reason, body.detail]).toEqual([409, 'dead_letter_not_repeatable', expect.stringContaining(words)]);
      expect((await commands()).length).toBe(before);
    },
  );

  test('of a record that the log no longer has is refused', async () => {
    const letter_id = await setAsideAs(NOTICE, 'acme', 99);
    expect((await requeue(letter_id)).body.detail).toContain('no longer on the log');
  });

  test('of another tenant, of no letter or without the role is refused, and nothing is recorded', async () => {
    const before = (await commands()).length;
    const theirs = await setAsideAs(NOTICE, 'rival', 2);
    const ours = await setAsideAs(NOTICE, 'acme', 2);
    expect((await requeue(theirs)).body.reason).toBe('dead_letter_not_found');
    expect((await requeue('__proto__')).status).toBe(404);
    expect((await requeue(ours, 'corrected', 'auditor')).status).toBe(403);
    expect((await requeue(ours, ' ')).status).toBe(400);
    expect((await requeue(ours, 'x'.repeat(2_001))).status).toBe(400);
    expect((await commands()).length).toBe(before);
  });

  test('that failed is a dead letter of its own, which names the first one and can be requeued', async () => {
    const letter_id = await setAsideAs(NOTICE, 'acme', 2);
    const { headers } = await requeue(letter_id);
    const offset = Number(String(headers['countersign-position']).split(':')[2]);
    const failed = await setAsideAs({ ...NOTICE, source_topic: 'operator-command' }, 'acme', offset);
    expect((await listed('?limit=1')).items[0]).toMatchObject({ letter_id: failed, requeue_of: letter_id, requeue_refusal: null });
    expect((await requeue(failed)).status).toBe(200);
    expect((await commands()).at(-1)).toMatchObject({ letter_id: failed, source_topic: 'approval-granted', source_offset: 2 });
  });
});
