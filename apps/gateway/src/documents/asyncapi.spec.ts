import { createRequire } from 'node:module';
import { eventSchemas } from '@countersign/contracts';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
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
  components: { messages: Record<string, { payload: { schema?: object; $ref?: string } }>; schemas: object };
}
const document = asyncApiDocument() as unknown as Document;

function validator() {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, meta: false, validateSchema: false });
  addFormats(ajv);
  return ajv.compile(specification);
}

/** Checks a value by a message of the document. */
function checkOf(message: string) {
  const { payload } = document.components.messages[message] as { payload: { $ref?: string } };
  const schema = { ...payload, components: document.components };
  return new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(schema);
}

describe('/asyncapi.json', () => {
  test('is valid by the JSON schema of AsyncAPI 3.1, which rejects an invalid one', () => {
    const validate = validator();
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(validate({ ...document, operations: { x: { action: 'shout', channel: {} } } })).toBe(false);
  });

  test('names existing topics, every event of each, and schemas that Avro accepts', () => {
    const published = Object.entries(document.channels).filter(([address]) => !address.startsWith('producer-'));
    expect(published.map(([address]) => address)).toEqual(['audit-view', 'case-history-view', 'trust-view']);
    for (const [address, { messages }] of published) {
      const events = new Set(eventSchemas.filter(({ topic }) => topic === address).map(({ event_type }) => event_type as string));
      expect([address, new Set(Object.keys(messages))]).toEqual([address, events]);
      expect(events.size).toBeGreaterThan(0);
    }
    const avroSchemas = Object.values(document.components.messages).flatMap(({ payload }) => payload.schema ?? []);
    expect(avroSchemas.length).toBeGreaterThan(4);
    for (const schema of avroSchemas) expect(() => avro.Type.forSchema(schema as never)).not.toThrow();
  });

  test('has no broken references', () => {
    const at = (pointer: string) =>
      pointer
        .slice(2)
        .split('/')
        .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, found]) => found as string);
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) expect(at(reference)).toBeDefined();
  });

  test('the schemas of producers say what is taken and what is not', () => {
    const isCall = checkOf('tool_call_requested_json');
    expect(isCall({ event_type: 'tool_call_requested', tool: 'write_file', inputs: { a: 1 }, idempotency_key: 'k' })).toBe(true);
    expect(isCall({ event_type: 'tool_call_requested', tool: 'write_file', tenant_id: 'globex' })).toBe(false);
    expect(isCall({ tool: 'write_file' })).toBe(false);
    const isCancel = checkOf('tool_call_cancel_requested_json');
    expect(isCancel({ event_type: 'tool_call_cancel_requested', request_id: 'r' })).toBe(true);
    expect(isCancel({ event_type: 'tool_call_cancel_requested', request: 'r' })).toBe(false);
  });
});
