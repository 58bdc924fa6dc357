import { createRequire } from 'node:module';
import { eventSchemas } from '@countersign/contracts';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import avro from 'avsc';
import { describe, expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.js';

const specification = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.1.0.json') as object;
// ajv-formats is CommonJS: its types and its runtime export differ by a `default`.
const addFormats = ajvFormats as unknown as (ajv: Ajv) => void;

interface Document {
  channels: Record<string, { messages: Record<string, { $ref: string }> }>;
  operations: Record<string, { channel: { $ref: string } }>;
  components: { messages: Record<string, { payload: { schema: object } }> };
}
const document = asyncApiDocument() as unknown as Document;

function validator() {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, meta: false, validateSchema: false });
  addFormats(ajv);
  return ajv.compile(specification);
}

describe('/asyncapi.json', () => {
  test('is valid by the JSON schema of AsyncAPI 3.1, which rejects an invalid one', () => {
    const validate = validator();
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(validate({ ...document, operations: { x: { action: 'shout', channel: {} } } })).toBe(false);
  });

  test('names existing topics, every event of each, and schemas that Avro accepts', () => {
    for (const [address, { messages }] of Object.entries(document.channels)) {
      const events = new Set(eventSchemas.filter(({ topic }) => topic === address).map(({ event_type }) => event_type as string));
      expect([address, new Set(Object.keys(messages))]).toEqual([address, events]);
      expect(events.size).toBeGreaterThan(0);
    }
    for (const { payload } of Object.values(document.components.messages)) {
      expect(() => avro.Type.forSchema(payload.schema as never)).not.toThrow();
    }
  });

  test('has no broken references', () => {
    const at = (pointer: string) =>
      pointer
        .slice(2)
        .split('/')
        .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document);
    const references = [
      ...Object.values(document.channels).flatMap(({ messages }) => Object.values(messages).map(({ $ref }) => $ref)),
      ...Object.values(document.operations).map(({ channel }) => channel.$ref),
    ];
    expect(references.length).toBeGreaterThan(8);
    for (const reference of references) expect(at(reference)).toBeDefined();
  });
});
