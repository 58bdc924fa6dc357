import avro from 'avsc';
import { describe, expect, test } from 'vitest';
import { avroFingerprint, ProducerCodec, producerSchemas } from './producer-schemas.js';

const { schema } = producerSchemas.tool_call_requested;
const fingerprint = avroFingerprint(schema) as string;
const type = avro.Type.forSchema(JSON.parse(schema));

describe('Avro of producers', () => {
  test('a record is decoded to its texts', () => {
    const body = type.toBuffer({ tool: 'write_file', inputs_json: '{"a":1}', case_id: 'c' });
    expect(new ProducerCodec().decode(fingerprint, body)).toMatchObject({
      record_type: 'tool_call_requested',
      fields: { tool: 'write_file', inputs_json: '{"a":1}', case_id: 'c', version: null },
    });
  });

  test('has texts only: no bytes declare more than they hold', () => {
    for (const { schema: text } of Object.values(producerSchemas)) {
      const { fields } = JSON.parse(text) as { fields: { type: unknown }[] };
      for (const { type: of } of fields) expect([['string'], ['null', 'string']]).toContainEqual([of].flat());
    }
  });

  test('docs and defaults may differ; other fields, other schemas and other languages are not known', () => {
    const codec = new ProducerCodec();
    const parsed = JSON.parse(schema) as { doc?: string; fields: object[] };
    expect(codec.knows(avroFingerprint(JSON.stringify({ ...parsed, doc: 'ours' })) as string)).toBe(true);
    const fields = [...parsed.fields, { name: 'bomb', type: { type: 'array', items: 'null' } }];
    expect(codec.knows(avroFingerprint(JSON.stringify({ ...parsed, fields })) as string)).toBe(false);
    for (const text of ['{"type":"object"}', 'syntax = "proto3";', '', '{"type":"record"}']) expect(avroFingerprint(text)).toBeUndefined();
  });

  test('every truncation, trailing bytes and random bytes are refused without a fault', () => {
    const codec = new ProducerCodec();
    const body = type.toBuffer({ tool: 'write_file', inputs_json: '{}' });
    for (let end = 0; end < body.length; end++) expect(codec.decode(fingerprint, body.subarray(0, end))).toBeUndefined();
    expect(codec.decode(fingerprint, Buffer.concat([body, Buffer.from([0])]))).toBeUndefined();
    for (let seed = 1; seed < 5_000; seed++) {
      const bytes = Buffer.from(Array.from({ length: 40 }, (_, n) => (seed * 2_654_435_761 * (n + 7)) >>> 13).map((one) => one & 255));
      const { tool } = codec.decode(fingerprint, bytes)?.fields ?? { tool: '' };
      expect(typeof tool).toBe('string');
    }
  });
});
