import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { EXAMPLES_FILE } from '@countersign/gateway/testing/api-document';
import type { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { MARK, SECRET } from '../tenants/acme.js';
import { WITHOUT_EXAMPLE } from './example-requests.js';
import { EXAMPLE_KEY } from './mask.js';
import type { Example } from './recorded-examples.js';

interface Content {
  [media_type: string]: { schema: object; example?: unknown };
}
interface Operation {
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

const text = readFileSync(EXAMPLES_FILE, 'utf8');
const examples = JSON.parse(text) as Record<string, Example>;
const document = JSON.parse(readFileSync(new URL('openapi.json', EXAMPLES_FILE), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as { Ajv2020: typeof Ajv };
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(document, 'api');

/** Of a schema that refers to the components of the document. */
function faults(schema: object, value: unknown): unknown {
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as object);
  return validate(value) ? [] : validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('every operation has an example of what it answers and takes, but for those that are listed with a reason', () => {
  const without = operations.filter(({ name, operation: { requestBody, responses } }) => {
    const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const answers = good.some(([, { content }]) => !content || Object.values(content).some(({ example }) => example !== undefined));
    const body = requestBody?.content['application/json'];
    return !answers || (body && body.example === undefined && !(name in WITHOUT_EXAMPLE));
  });
  expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(WITHOUT_EXAMPLE).sort());
});

test('every example is of an operation, and as its schema has it: else run npm run examples', () => {
  const known = new Map(operations.map(({ name, operation }) => [name, operation]));
  for (const [name, { request, status, media_type, answer }] of Object.entries(examples)) {
    const operation = known.get(name);
    expect([name, operation === undefined]).toEqual([name, false]);
    const body = operation?.requestBody?.content['application/json'];
    if (request !== undefined) expect([name, faults(body?.schema as object, request), body?.example]).toEqual([name, [], request]);
    if (answer === undefined) continue;
    const content = operation?.responses[String(status)]?.content?.[media_type];
    expect([name, content?.example]).toEqual([name, answer]);
    expect([name, faults(content?.schema as object, answer)]).toEqual([name, []]);
  }
});

test('no example has a key, a secret, a name of the machine or a time of the day it was recorded', () => {
  expect([text.includes(MARK), text.includes(SECRET)]).toEqual([false, false]);
  expect(new Set(text.match(/csk_[A-Za-z0-9_-]+/g))).toEqual(new Set([EXAMPLE_KEY, EXAMPLE_KEY.slice(0, 12)]));
  expect([...new Set(text.match(/whsec_[^"\\]+/g))]).toEqual([expect.stringMatching(/^whsec_[EXAMPL]+=$/)]);
  expect(text.match(/.{20}(eyJ|BEGIN [A-Z ]*KEY|\/tmp\/|\/home\/|\/work\/).{20}/g)).toBeNull();
  expect(new Set(text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g))).toEqual(new Set(['2026-01-02T03:04:05']));
});
