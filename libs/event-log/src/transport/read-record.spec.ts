import { EventCodec, leafHashText } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { LogRecord } from '../event-log.js';
import { BatchDecoder } from './batch-decoder.js';

const meta = { event_id: 'e', tenant_id: 'acme', call_id: null, attempt: 0, causation_id: null, correlation_id: 'c', hlc: 1, partition: 0 };
const by = { kind: 'user' as const, id: 'anna', roles: ['admin'] };
const codec = new EventCodec();
const record = (key: string): LogRecord => ({
  topic: 'configuration-changed',
  partition: 0,
  offset: 4,
  timestamp_ms: 9,
  key,
  headers: { event_type: 'api_key_revoked' },
  value: codec.encode('api_key_revoked', { meta, key_id: 'k', by, revoked_at_ms: 1 }),
});

test('an event that was read knows the hash of its record as it lies on the log', async () => {
  const { events } = await new BatchDecoder(codec, undefined).decode([record('a'), record('b')]);
  expect(events.map(({ leaf_hash }) => leaf_hash)).toEqual([leafHashText(record('a')), leafHashText(record('b'))]);
  expect(events[0]?.leaf_hash).not.toBe(events[1]?.leaf_hash);
});

test('its copies and its JSON carry neither the bytes of the record nor the hash', async () => {
  const { events } = await new BatchDecoder(codec, undefined).decode([record('a')]);
  const names = ['event', 'event_type', 'offset', 'partition', 'timestamp_ms', 'topic', 'traceparent'];
  expect(Object.keys({ ...events[0] }).sort()).toEqual(names);
  expect(JSON.stringify(events[0])).not.toContain('leaf_hash');
});
