import { Refusal } from '@countersign/calls';
import { avroFingerprint, InfrastructureFault, producerSchemas } from '@countersign/contracts';
import avro from 'avsc';
import { describe, expect, test } from 'vitest';
import { RecordValues } from './record-values.js';

const { schema } = producerSchemas.tool_call_requested;
const type = avro.Type.forSchema(JSON.parse(schema));
const registry = {
  fingerprint: async (id: number) => (id === 5 ? avroFingerprint(schema) : id === 6 ? avroFingerprint('"string"') : undefined),
};
const framed = (id: number, body: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 0, id]), body]);
const values = new RecordValues(registry);

describe('the value of a record', () => {
  test('Avro is the same as JSON: nulls are absent, JSON texts are values', async () => {
    const body = type.toBuffer({ tool: 't', inputs_json: '{"a":[1]}', context_json: '{"request_id":"r"}', metadata_json: '{"k":"v"}' });
    expect(await values.read(framed(5, body))).toEqual({
      event_type: 'tool_call_requested',
      tool: 't',
      inputs: { a: [1] },
      context: { request_id: 'r' },
      metadata: { k: 'v' },
    });
  });

  test('a schema that is unknown or not one of ours is refused, and so is a text that is no JSON', async () => {
    for (const id of [6, 7]) expect(await values.read(framed(id, Buffer.from([2, 65])))).toMatchObject({ kind: 'malformed-body' });
    expect(await values.read(framed(5, type.toBuffer({ tool: 't', inputs_json: '{' })))).toMatchObject({
      detail: 'inputs_json is not valid JSON',
    });
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await values.read(framed(5, type.toBuffer({ tool: 't', inputs_json: `{"a":${deep}}` })))).toMatchObject({
      kind: 'invalid-request',
    });
  });

  test('no registry answers: the fault is not the fault of the record', async () => {
    const down = new RecordValues({ fingerprint: () => Promise.reject(new InfrastructureFault('the registry is down')) });
    await expect(down.read(framed(5, Buffer.alloc(1)))).rejects.toBeInstanceOf(InfrastructureFault);
  });

  test('whatever the bytes are, they are read or refused', async () => {
    for (const text of ['null', '7', '"text"', '[]', '{}']) expect(await values.read(Buffer.from(text))).toEqual(JSON.parse(text));
    for (const bytes of [Buffer.alloc(0), Buffer.from([0]), Buffer.from([0, 0, 0, 0, 5]), Buffer.from([0xc3, 0x28]), Buffer.from('NaN')])
      expect(await values.read(bytes)).toBeInstanceOf(Refusal);
  });
});
