import avro from 'avsc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventCodec } from './codec.js';
import { eventSchemas } from './generated/schemas.js';
import { peekMeta } from './peek-meta.js';

const codec = new EventCodec();
const by = { kind: 'user' as const, id: 'anna', roles: ['admin'] };
const meta = (event_id: string, tenant_id: string, call_id: string | null) => ({
  event_id,
  tenant_id,
  call_id,
  attempt: 0,
  causation_id: null,
  correlation_id: 'c',
  hlc: 1,
  partition: 0,
});

test('the peeked fields equal the written ones, for any texts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ maxLength: 400, unit: 'grapheme' }), fc.option(fc.string()), (event_id, tenant_id, call_id) => {
      const value = codec.encode('api_key_revoked', { meta: meta(event_id, tenant_id, call_id), key_id: 'k', by, revoked_at_ms: 1 });
      const { meta: written } = codec.decode(value).event;
      expect(peekMeta(value)).toEqual({ event_id: written.event_id, tenant_id: written.tenant_id, call_id: written.call_id });
    }),
  );
});

test('every event of every topic begins with its meta', () => {
  for (const { event_type, schema } of eventSchemas) {
    const type = avro.Type.forSchema(JSON.parse(schema)) as avro.types.RecordType;
    const first = type.fields[0];
    expect([event_type, first?.name]).toEqual([event_type, 'meta']);
    const names = (first?.type as avro.types.RecordType).fields.slice(0, 3).map(({ name }) => name);
    expect(names).toEqual(['event_id', 'tenant_id', 'call_id']);
  }
});

test('bytes that are not an event, or are truncated, give undefined and never throw', () => {
  const whole = codec.encode('api_key_revoked', { meta: meta('e'.repeat(36), 'acme', 'c'), key_id: 'k', by, revoked_at_ms: 1 });
  for (let end = 0; end < 5 + 37 + 5 + 3; end++) expect(peekMeta(whole.subarray(0, end))).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(() => peekMeta(Buffer.from(bytes))).not.toThrow();
    }),
  );
  expect(peekMeta(Buffer.from('{"a":1}'))).toBeUndefined();
});
