import { expect, test } from 'vitest';
import { callRequest } from './call-request.js';
import { metadata, metadataJson, metadataOf } from './own-reference.js';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));

test('metadata has at most 20 entries of at most 200 characters, with plain keys', () => {
  for (const good of [{}, many(20), { order: 'x'.repeat(200), constructor: '' }]) expect(metadata.safeParse(good).success).toBe(true);
  const bad = [many(21), { order: 'x'.repeat(201) }, { Order: 'x' }, { ['k'.repeat(41)]: 'x' }, { order: 7 }, { order: null }, ['x']];
  for (const value of bad) expect(metadata.safeParse(value).success).toBe(false);
});

test('metadata that a database cannot store is refused, and `__proto__` is not copied', () => {
  for (const text of ['a\u0000b', 'a\nb', '\ud800']) expect(metadata.safeParse({ order: text }).success).toBe(false);
  expect(metadata.parse(JSON.parse('{"__proto__":"x","order":"7"}'))).toEqual({ order: '7' });
});

test('metadata is recorded with sorted keys, so that equal metadata has equal text', () => {
  expect(metadataJson({ b: '2', a: '1' })).toBe(metadataJson({ a: '1', b: '2' }));
  expect([metadataOf('{"a":"1"}'), metadataOf(null), metadataJson(undefined)]).toEqual([{ a: '1' }, {}, null]);
});

test('a reference is recorded in NFC, and a case is named by ext: and up to 200 characters', () => {
  const call = { tool: 't', external_id: 'Zu\u0308rich', case_id: `ext:${'x'.repeat(200)}` };
  expect(callRequest.parse(call)).toMatchObject({ external_id: 'Z\u00fcrich' });
  expect(callRequest.safeParse({ ...call, case_id: `ext:${'x'.repeat(201)}` }).success).toBe(false);
});
