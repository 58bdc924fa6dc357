import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from './define-tool.js';
import type { Shape } from './json-schema-of.js';
import { untypedParts } from './untyped-parts.js';

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
/** A definition with one more input of this JSON schema. */
const takes = (name: string, schema: object, $defs: object = {}): Partial<Definition> => ({
  input: { type: 'object', additionalProperties: false, properties: { amount: { type: 'integer' }, [name]: schema }, $defs },
});
const within = (properties: object) => ({ type: 'object', additionalProperties: false, properties });
const string = { type: 'string' };

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
  ['answers anything', { output: z.unknown() }, /output has no type.*output \/ has no type/],
  ['answers an object of anything', { output: { type: 'object' } }, /output \/ has no type/],
  ['does whatever a prompt says', text('prompt'), /input prompt is a free-text instruction/],
  ['does whatever an instruction says', text('instructions'), /free-text/],
  ['does what a prompt further down says', takes('params', within({ prompt: string })), /input prompt is a free-text instruction/],
  [
    'does what a prompt in a list says',
    takes('steps', { type: 'array', items: within({ prompt: string }) }),
    /input prompt is a free-text instruction/,
  ],
  [
    'does what a list of instructions says',
    takes('instructions', { type: 'array', items: string }),
    /instructions is a free-text instruction/,
  ],
  ['does what a prompt says that may be null', takes('prompt', { type: ['string', 'null'] }), /input prompt is a free-text instruction/],
  ['does what one of two prompts says', takes('prompt', { anyOf: [string, { type: 'null' }] }), /input prompt is a free-text instruction/],
  [
    'does what a prompt defined elsewhere says',
    takes('prompt', { $ref: '#/$defs/text' }, { text: string }),
    /prompt is a free-text instruction/,
  ],
  [
    'does what a prompt says that is put together',
    takes('prompt', { allOf: [string, { minLength: 1 }] }),
    /prompt is a free-text instruction/,
  ],
  ['does what its user tells it', text('userPrompt'), /input userPrompt is a free-text instruction/],
  ['does what a shell is told', text('shell_command'), /input shell_command is a free-text instruction/],
  ['runs SQL further down', takes('params', within({ sql: string })), /its input sql gives access to a database/],
  ['runs SQL of another name', text('rawSql'), /its input rawSql gives access to a database/],
  ['reaches a database', { effect_class: 'read_external', endpoint: 'https://db.internal:5432/' }, /host db\.internal:5432 gives access/],
  ['speaks to a database', { endpoint: 'postgres://localhost/main' }, /its endpoint gives access to a database/],
  [
    'takes every type there is',
    takes('a', { type: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] }),
    /input \/a has no type/,
  ],
  ['takes six of them', takes('a', { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }), /input \/a has no type/],
  ['takes what is only described', takes('a', { allOf: [{ description: 'anything' }] }), /input \/a has no type/],
  ['takes an object or null and says no more', takes('a', { type: ['object', 'null'] }), /input \/a has no type/],
  ['takes an object that is only described', takes('a', { type: 'object', allOf: [{ description: 'x' }] }), /input \/a has no type/],
  ['takes a list of anything at all', takes('a', { type: 'array', items: true }), /input \/a has no type/],
  ['hides an open field in a part', takes('a', { allOf: [within({ b: {} })] }), /input \/a\/b has no type/],
  ['hides an open field in a definition', takes('a', { $ref: '#/$defs/d' }, { d: within({ b: {} }) }), /input \/d\/b has no type/],
  ['runs SQL', text('sql'), /its input sql gives access to a database/],
  ['is given a connection', text('connection_string'), /access to a database/],
  ['talks to a database', { effect_class: 'read_external', network: ['db.internal:5432'] }, /host db\.internal:5432 gives access/],
  ['logs in to a database', { auth_requirements: ['MAIN_DATABASE_URL'] }, /secret MAIN_DATABASE_URL gives access/],
  ['has no effect class', { effect_class: undefined as never }, /effect_class is missing; allowed: pure/],
  ['has an effect class of its own', { effect_class: 'harmless' as never }, /effect_class is missing/],
  ['is pure and reaches out', { effect_class: 'pure', network: ['api.example.com'] }, /declare read_external/],
  ['writes elsewhere as if it were here', { ...write, network: ['erp.example.com'] }, /declare commit_high/],
  ['writes to an endpoint elsewhere', { ...write, endpoint: 'https://erp.example.com/api' }, /erp\.example\.com: declare commit_high/],
  ['writes to one without a scheme', { ...write, endpoint: 'erp.example.com:8443/api' }, /erp\.example\.com:8443: declare/],
  ['reads from one as if it were here', { endpoint: 'https://erp.example.com' }, /declare read_external/],
  ['stages elsewhere', { ...write, effect_class: 'stage', network: ['*'] }, /declare commit_high/],
  ['says that it reads and is named for what it writes', { name: 'delete_amount' }, /its name contains delete/],
  ['is sandboxed and says nothing of the network', { protocol: 'sandbox' }, /must declare its network/],
  [
    'refers to a schema elsewhere',
    { input: { type: 'object', properties: { a: { $ref: 'https://evil.example/s' } } } },
    /outside the schema; external references are not fetched/,
  ],
  ['hides a slow expression in zod', { input: z.object({ a: z.string().regex(/^(a+)+$/) }) }, /exponential time/],
])('a definition that %s is no tool', (_title, change, message) => {
  expect(() => defineTool({ ...tool, ...change })).toThrow(message);
});

test.each<[string, Partial<Definition>]>([
  ['an effect on this machine', { ...write, network: ['127.0.0.1:8080', 'localhost'] }],
  ['an effect elsewhere that says so', { ...write, effect_class: 'commit_high', network: ['erp.example.com'] }],
  ['a read elsewhere', { effect_class: 'read_external', network: ['api.example.com'] }],
  ['an effect at an endpoint on this machine', { ...write, endpoint: 'http://[::1]:8080/api' }],
  ['an effect at an endpoint elsewhere that says so', { ...write, effect_class: 'commit_high', endpoint: 'https://erp.example.com' }],
  ['a search', { input: z.object({ query: z.string(), filters: z.array(z.string()).nullable() }) }],
  ['a message with a body', { input: z.object({ message: z.object({ subject: z.string(), body: z.string().nullable() }) }) }],
  ['a prompt out of a list, or none', { input: z.object({ prompt: z.enum(['short', 'long']).nullable() }) }],
  ['a field that may be null', takes('a', { type: ['string', 'null'] })],
  ['an object that may be null', takes('a', { type: ['object', 'null'], properties: { b: string } })],
  ['an object put together', takes('a', { type: 'object', allOf: [{ properties: { b: string } }, { properties: { c: string } }] })],
  [
    'an object of which one of two is needed',
    takes('a', { ...within({ b: string, c: string }), anyOf: [{ required: ['b'] }, { required: ['c'] }] }),
  ],
  ['no input at all', { input: z.strictObject({}) }],
  ['a tuple', { input: z.object({ range: z.tuple([z.int(), z.int()]) }) }],
  ['an intersection', { input: z.object({ both: z.intersection(z.object({ a: z.int() }), z.object({ b: z.int() })) }) }],
  ['an action out of a list', { input: z.object({ action: z.enum(['a', 'b']) }) }],
  ['any JSON value, said as such', { input: z.object({ document: z.json() }), output: z.json() }],
  ['a sandbox without network', { protocol: 'sandbox', network: [] }],
  ['a dictionary of texts', { input: z.object({ fields: z.record(z.string(), z.string()) }) }],
])('%s is one', (_title, change) => {
  expect(() => defineTool({ ...tool, ...change })).not.toThrow();
});

test('an object without declared properties has no type, but an object that allows none has one', () => {
  expect(untypedParts({ type: 'object', properties: {} })).toEqual(['/']);
  expect(untypedParts({ type: 'object', properties: {}, additionalProperties: false })).toEqual([]);
});

test('every text format of zod is accepted', () => {
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
