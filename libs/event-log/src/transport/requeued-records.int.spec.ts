import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventCodec, type EventMap } from '@countersign/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedEventLog } from '../embedded/embedded-event-log.js';
import { BatchDecoder } from './batch-decoder.js';
import { RequeuedRecords } from './requeued-records.js';

const codec = new EventCodec();
const meta = { event_id: 'e', tenant_id: 'acme', call_id: null, attempt: 0, causation_id: null, correlation_id: '', hlc: 1, partition: 0 };
const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
const command = (source_offset: number, consumer = 'gateway-notices'): EventMap['dead_letter_requeued'] => ({
  ...{ meta, letter_id: 'l', consumer, source_topic: 'security-event', source_partition: 0, source_offset },
  ...{ reason: 'corrected', by },
});

let dir: string;
let log: EmbeddedEventLog;
let requeued: RequeuedRecords;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-requeued-'));
  log = await EmbeddedEventLog.open({ dir });
  await log.ensureTopics([{ name: 'security-event', partitions: 1 }]);
  const values = [codec.encode('dead_letter_requeued', command(9)), Buffer.from('no event')];
  await log.append(values.map((value) => ({ topic: 'security-event', partition: 0, key: null, value, headers: {} })));
  requeued = new RequeuedRecords(log, new BatchDecoder(codec, undefined), 'gateway-notices');
});
afterAll(async () => {
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

test('a requeued record is read at its place, with its own position', async () => {
  expect(await requeued.eventOf(command(0))).toMatchObject({
    ...{ event_type: 'dead_letter_requeued', topic: 'security-event', partition: 0, offset: 0 },
  });
});

test('a requeue for another consumer is none of this one', async () => {
  expect(await requeued.eventOf(command(0, 'policy'))).toBeUndefined();
});

test('a record that is not there, or no event, is a fault that names the place', async () => {
  await expect(requeued.eventOf(command(7))).rejects.toThrow('security-event/0/7 is no longer on the log');
  await expect(requeued.eventOf(command(1))).rejects.toThrow('security-event/0/1 cannot be decoded');
});
