import { EventCodec, eventSchemas } from '@countersign/contracts';
import { EventDecoder } from '@countersign/verifier';
import { expect, test } from 'vitest';
import { schemasOf } from './bundled-schemas.js';

/** A record of an earlier release: only its header matters here. */
function writtenBy(id: number): Buffer {
  const value = Buffer.alloc(6);
  value.writeUInt32BE(id, 1);
  return value;
}

test('a bundle names the schema by which each record was written, also that of an earlier release', () => {
  const codec = new EventCodec();
  const versions = eventSchemas.filter(({ event_type }) => event_type === 'approval_requested');
  expect(versions.length).toBeGreaterThan(1);
  const named = schemasOf(
    codec,
    versions.map(({ id }) => writtenBy(id)),
  );
  for (const { id, schema } of versions) {
    expect(named[id]).toBe(schema);
    expect(new EventDecoder(eventSchemas).addSchema(id, named[id] as string)).toBe(true);
  }
});

test('a text that a registry spaced differently is named as the verifier knows it', () => {
  const codec = new EventCodec();
  const { schema } = eventSchemas[0] as (typeof eventSchemas)[number];
  codec.addWriterSchema(900, JSON.stringify(JSON.parse(schema), null, 2));
  expect(schemasOf(codec, [writtenBy(900)])).toEqual({ 900: schema });
});
