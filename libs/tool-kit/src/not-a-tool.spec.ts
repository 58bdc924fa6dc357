import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './define-tool.js';
import type { Shape } from './json-schema-of.js';

type Definition = ToolDefinition<Shape, Shape>;
const amount = z.object({ amount: z.int() });
const tool: Definition = {
  name: 'count_amount',
  version: '1.0.0',
  title: 'Count an amount',
  description: 'Counts an amount and answers what it counted.',
  category: 'spec',
  effect_class: 'read_internal',
  input: amount,
  output: amount,
  run: async (input) => input,
};
const write: Partial<Definition> = { effect_class: 'commit_low', idempotency: { discriminating: ['amount'] } };
const text = (name: string): Partial<Definition> => ({ input: z.object({ amount: z.int(), [name]: z.string() }) });

test.each<[string, Partial<Definition>, RegExp]>([
  ['takes anything', { input: z.object({ payload: z.any() }) }, /input \/payload has no type/],
  [
    'takes a record of anything',
    { input: z.object({ fields: z.record(z.string(), z.unknown()) }) },
    /input \/fields\/additionalProperties has no type/,
  ],
  ['takes a list of anything', { input: z.object({ list: z.array(z.any()) }) }, /input \/list\/items has no type/],
  ['takes anything where it is an alternative', { input: z.object({ a: z.union([z.string(), z.any()]) }) }, /input \/a has no type/],
  ['takes whatever else is sent', { input: z.looseObject({ amount: z.int() }) }, /has no type/],
  [
    'takes an object without fields',
    { input: { type: 'object', additionalProperties: false, properties: { a: { type: 'object' } } } },
    /input \/a has no type/,
  ],
  ['takes a list of it does not say what', { input: { type: 'object', properties: { a: { type: 'array' } } } }, /input \/a has no type/],
  ['answers anything', { output: z.unknown() }, /output has no shape.*output \/ has no type/],
  ['answers an object of anything', { output: { type: 'object' } }, /output \/ has no type/],
  ['does whatever a prompt says', text('prompt'), /input prompt is a free text/],
  ['does whatever an instruction says', text('instructions'), /free text/],
  ['runs SQL', text('sql'), /its input sql is a way into a database/],
  ['is given a connection', text('connection_string'), /way into a database/],
  ['talks to a database', { effect_class: 'read_external', network: ['db.internal:5432'] }, /host db\.internal:5432 is a way/],
  ['logs in to a database', { auth_requirements: ['MAIN_DATABASE_URL'] }, /secret MAIN_DATABASE_URL is a way/],
  ['has no effect class', { effect_class: undefined as never }, /no effect class: one of pure/],
  ['has an effect class of its own', { effect_class: 'harmless' as never }, /no effect class/],
  ['is pure and reaches out', { effect_class: 'pure', network: ['api.example.com'] }, /what it does there is read_external/],
  ['writes elsewhere as if it were here', { ...write, network: ['erp.example.com'] }, /what it does there is commit_high/],
  ['stages elsewhere', { ...write, effect_class: 'stage', network: ['*'] }, /what it does there is commit_high/],
  ['says that it reads and is named for what it writes', { name: 'delete_amount' }, /its name says that it deletes/],
  ['is sandboxed and says nothing of the network', { protocol: 'sandbox' }, /must declare its network/],
  [
    'refers to a schema elsewhere',
    { input: { type: 'object', properties: { a: { $ref: 'https://evil.example/s' } } } },
    /elsewhere; nothing is fetched/,
  ],
  ['hides a slow expression in zod', { input: z.object({ a: z.string().regex(/^(a+)+$/) }) }, /exponential time/],
])('a definition that %s is no tool', (_title, change, message) => {
  expect(() => defineTool({ ...tool, ...change })).toThrow(message);
});

test.each<[string, Partial<Definition>]>([
  ['an effect on this machine', { ...write, network: ['127.0.0.1:8080', 'localhost'] }],
  ['an effect elsewhere that says so', { ...write, effect_class: 'commit_high', network: ['erp.example.com'] }],
  ['a read elsewhere', { effect_class: 'read_external', network: ['api.example.com'] }],
  ['an action out of a list', { input: z.object({ action: z.enum(['a', 'b']) }) }],
  ['any JSON value, said as such', { input: z.object({ document: z.json() }), output: z.json() }],
  ['a sandbox without network', { protocol: 'sandbox', network: [] }],
  ['a dictionary of texts', { input: z.object({ fields: z.record(z.string(), z.string()) }) }],
])('%s is one', (_title, change) => {
  expect(() => defineTool({ ...tool, ...change })).not.toThrow();
});

test('every form of text that zod has is let pass', () => {
  const forms = z.object({
    email: z.email(),
    uuid: z.uuid(),
    url: z.url(),
    day: z.iso.date(),
    time: z.iso.datetime({ offset: true }),
    clock: z.iso.time(),
    span: z.iso.duration(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    range: z.cidrv4(),
    base64: z.base64(),
    url64: z.base64url(),
    cuid: z.cuid2(),
    ulid: z.ulid(),
    nano: z.nanoid(),
    phone: z.e164(),
    jwt: z.jwt(),
    emoji: z.emoji(),
  });
  expect(() => defineTool({ ...tool, input: forms })).not.toThrow();
});
