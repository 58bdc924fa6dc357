import { leafHashText } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { LogRecord, NewRecord } from './event-log.js';
import { appendedLeafHash, keptLeafHash } from './kept-leaf.js';

const fresh: NewRecord = { topic: 't', partition: 1, key: 'k', value: Buffer.from('value'), headers: { event_type: 'x' } };
const record = (): LogRecord => ({ ...fresh, offset: 3, timestamp_ms: 7, leaf: undefined });

test('a record is hashed once for all of its readers', () => {
  const read = record();
  const hash = keptLeafHash(read);
  expect(hash.toString('base64')).toBe(leafHashText(read));
  expect(keptLeafHash(read)).toBe(hash);
});

test('a copy of a record with another value has another hash', () => {
  const read = record();
  keptLeafHash(read);
  const changed = { ...read, value: Buffer.from('other') };
  expect(keptLeafHash(changed).toString('base64')).toBe(leafHashText(changed));
  expect(keptLeafHash(changed)).not.toEqual(keptLeafHash(read));
});

test('the hash of an appended record is that of the record on the log; without its time there is none', () => {
  const hash = leafHashText(record());
  expect(appendedLeafHash({ ...fresh, appended_at_ms: 7 }, 3)).toBe(hash);
  const appended = record();
  expect(appendedLeafHash({ ...fresh, appended_at_ms: 7, appended }, 3)).toBe(hash);
  expect(appended.leaf?.hash.toString('base64')).toBe(hash);
  expect(appendedLeafHash(fresh, 3)).toBeUndefined();
});
