import { describe, expect, test } from 'vitest';
import { EventCodec, UndecodableRecord } from './codec.js';
import type { ApiKeyRevoked } from './generated/events.js';
import { eventSchemas } from './generated/schemas.js';

const revoked: ApiKeyRevoked = {
  meta: {
    event_id: '0192f0c4-0000-7000-8000-000000000001',
    tenant_id: 'acme',
    call_id: null,
    attempt: 0,
    causation_id: null,
    correlation_id: 'c'.repeat(32),
    hlc: 1_792_000_000_000_001,
    partition: 0,
    cause_hash: null,
  },
  key_id: 'key_1',
  by: { kind: 'user', id: 'anna', roles: ['admin'] },
  revoked_at_ms: 1_792_000_000_000,
};

describe('event codec', () => {
  test('the types of the events of calls are compiled in steps, before the first call', () => {
    const calls = ['tool-call-requested', 'policy-decided', 'approval-voted', 'approval-granted', 'tool-executed'];
    const steps = [...new EventCodec().compileCallTypes()];
    expect(steps).toHaveLength(eventSchemas.filter(({ topic }) => calls.includes(topic)).length);
  });

  test('an encoded event decodes to the same event with its type', () => {
    const codec = new EventCodec();
    expect(codec.decode(codec.encode('api_key_revoked', revoked))).toEqual({ event_type: 'api_key_revoked', event: revoked });
  });

  test('the wire format is byte 0, the schema id and the Avro body', () => {
    const codec = new EventCodec();
    const bytes = codec.encode('api_key_revoked', revoked);
    expect(bytes[0]).toBe(0);
    expect(codec.schemaId(bytes)).toBe(eventSchemas.findLast((schema) => schema.event_type === 'api_key_revoked')?.id);
  });

  test('an id assigned by a registry is written and read', () => {
    const codec = new EventCodec();
    codec.assignId('api_key_revoked', 70_001);
    const bytes = codec.encode('api_key_revoked', revoked);
    expect(codec.schemaId(bytes)).toBe(70_001);
    expect(codec.decode(bytes).event).toEqual(revoked);
  });

  test('the meta of a record is readable even if its body is not', () => {
    const codec = new EventCodec();
    const bytes = codec.encode('api_key_revoked', revoked);
    const { cause_hash: _, ...first } = revoked.meta;
    const cut = bytes.subarray(0, bytes.length - 9);
    expect(() => codec.decode(cut)).toThrow(UndecodableRecord);
    expect(codec.readMeta(cut)).toEqual(first);
    for (const hopeless of [bytes.subarray(0, 20), Buffer.from('{}'), Buffer.alloc(0)]) expect(codec.readMeta(hopeless)).toBeUndefined();
  });

  test('an event larger than the slab is written completely, and so is the next small one', () => {
    const codec = new EventCodec();
    const large = { ...revoked, key_id: 'k'.repeat(1_500_000) };
    expect(codec.decode(codec.encode('api_key_revoked', large)).event).toEqual(large);
    expect(codec.decode(codec.encode('api_key_revoked', revoked)).event).toEqual(revoked);
  });

  test('a record written with a newer schema is read with the schema of this build', () => {
    const codec = new EventCodec();
    const schema = JSON.parse(eventSchemas.find((candidate) => candidate.event_type === 'api_key_revoked')?.schema as string);
    schema.fields.push({ name: 'note', type: ['null', 'string'], default: null });
    const newer = new EventCodec([
      { id: 900, topic: 'configuration-changed', event_type: 'api_key_revoked', version: 2, schema: JSON.stringify(schema) },
    ]);
    const bytes = newer.encode('api_key_revoked', { ...revoked, note: 'left the company' } as ApiKeyRevoked);
    expect(codec.knows(900)).toBe(false);
    codec.addWriterSchema(900, JSON.stringify(schema));
    expect(codec.decode(bytes)).toEqual({ event_type: 'api_key_revoked', event: revoked });
  });

  test('every truncation, an unknown id and trailing bytes are refused as undecodable', () => {
    const codec = new EventCodec();
    const bytes = codec.encode('api_key_revoked', revoked);
    for (let end = 0; end < bytes.length; end++) expect(() => codec.decode(bytes.subarray(0, end))).toThrow(UndecodableRecord);
    expect(() => codec.decode(Buffer.concat([bytes, Buffer.from([0])]))).toThrow(UndecodableRecord);
    const foreign = Buffer.from(bytes);
    foreign.writeUInt32BE(4_000_000, 1);
    expect(() => codec.decode(foreign)).toThrow('schema id 4000000 is unknown');
  });
});
