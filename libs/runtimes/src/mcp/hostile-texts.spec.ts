import { ToolError } from '@countersign/tool-kit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { LineReader, LineTooLong } from '../sandbox/line-reader.js';
import { headerFault } from './header-names.js';
import { readTool } from './listed-tools.js';
import { upstreamOutputSchema } from './output-schema.js';
import { outputOf } from './result-content.js';
import { UpstreamMask } from './secrets.js';

describe('lines', () => {
  test('are joined over parts, and bounded', () => {
    const reader = new LineReader(10);
    expect(reader.take(Buffer.from('ab\ncd')).map(String)).toEqual(['ab']);
    expect(reader.take(Buffer.from('ef\n\n')).map(String)).toEqual(['cdef', '']);
    expect(() => reader.take(Buffer.from('x'.repeat(11)))).toThrow(LineTooLong);
  });

  test('are bounded also where they arrive byte by byte', () => {
    const reader = new LineReader(10);
    const drip = () => {
      for (let count = 0; count < 11; count++) reader.take(Buffer.from('x'));
    };
    expect(drip).toThrow(LineTooLong);
  });
});

describe('secrets', () => {
  const mask = new UpstreamMask({ user_id: null, bearer: 'tok"en-1', env: { A: 'tok"en-1-longer', B: 'x' } });

  test('are masked in texts, errors and JSON, the longest first; short values are not', () => {
    expect(mask.text('a tok"en-1-longer b tok"en-1 x')).toBe('a [secret] b [secret] x');
    expect(mask.record({ 'tok"en-1': ['tok"en-1'] })).toEqual({ '[secret]': ['[secret]'] });
    const masked = mask.error(new ToolError('TIMEOUT', 'of tok"en-1', { effect: 'none', details: { a: 'tok"en-1' } }));
    expect(mask.text(`base64 ${Buffer.from('tok"en-1-longer').toString('base64')}`)).toBe('base64 [secret]');
    expect([masked.message, masked.more]).toEqual(['of [secret]', { effect: 'none', details: { a: '[secret]' } }]);
  });

  test('are masked in each tool of a long list, and in none where there are none', async () => {
    const listed = Array.from({ length: 40 }, (_, at) => ({ name: `t${at}`, description: at % 2 ? 'says tok"en-1' : 'says nothing' }));
    const masked = await mask.each(listed);
    expect(masked.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
    expect(masked.slice(0, 2).map(({ description }) => description)).toEqual(['says nothing', 'says [secret]']);
    expect(await new UpstreamMask({ user_id: null }).each(listed)).toEqual(listed);
  });
});

describe('an output schema', () => {
  test('takes what outputOf returns, and its own $ref still works', async () => {
    const structured = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/text' } },
      required: ['a'],
      $defs: { text: { type: 'string' } },
    };
    const ajv = new Ajv2020({ strict: false });
    const validate = ajv.compile(upstreamOutputSchema(structured));
    const run = { attach: async () => ({ kind: 'image' as const, url: '/v1/blobs/x', content_type: 'image/png', bytes: 3 }) };
    const content = [
      { type: 'text' as const, text: 'a' },
      { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio' as const, data: 'AAAA', mimeType: 'text/html; <script>' },
      { type: 'resource' as const, resource: { uri: 'file:///a', text: 'b' } },
      { type: 'resource' as const, resource: { uri: 'file:///b', blob: 'AAAA' } },
      { type: 'resource_link' as const, uri: 'file:///c', name: 'c' },
    ];
    expect(validate(await outputOf({ content, structuredContent: { a: 'x' } }, run))).toBe(true);
    expect(validate(await outputOf({ content, structuredContent: { a: 5 } }, run))).toBe(false);
    expect(validate(await outputOf({ content }, run))).toBe(false);
    expect(new Ajv2020({ strict: false }).compile(upstreamOutputSchema(undefined))(await outputOf({ content }, run))).toBe(true);
  });

  test('of two tools may be compiled by one validator', () => {
    const ajv = new Ajv2020({ strict: false });
    const of = (type: string) => {
      const schema = upstreamOutputSchema({ $ref: '#/$defs/x', $defs: { x: { type } } });
      const validate = ajv.compile(schema);
      ajv.removeSchema(schema);
      return validate({ content: [], structured: {} });
    };
    expect([of('object'), of('string')]).toEqual([true, false]);
  });
});

test('a result that is an error promises nothing about its effect', async () => {
  const content = [{ type: 'text' as const, text: 'MCP error -32602: no such tool' }];
  await expect(outputOf({ content, isError: true }, { attach: async () => Promise.reject(new Error('none')) })).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    more: expect.not.objectContaining({ effect: 'none' }),
  });
});

describe('headers of inputs', () => {
  const withHeader = (name: unknown, type = 'string') => ({ type: 'object', properties: { a: { type, 'x-mcp-header': name } } });

  test('are taken at strings, integers and booleans', () => {
    for (const type of ['string', 'integer', 'boolean']) expect(headerFault(withHeader('Region', type))).toBeUndefined();
    expect(headerFault({ type: 'object', properties: { a: { default: { 'x-mcp-header': 5 } } } })).toBeUndefined();
  });

  test.each([
    ['an empty name', withHeader('')],
    ['no text', withHeader(5)],
    ['a line break', withHeader('a\r\nb')],
    ['a number', withHeader('a', 'number')],
    ['the whole schema', { type: 'object', 'x-mcp-header': 'a' }],
    ['items of a list', { type: 'object', properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'a' } } } }],
    [
      'two names that differ in case alone',
      { properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } } },
    ],
  ])('are refused for %s', (_, schema) => {
    expect(readTool({ name: 'a', inputSchema: { ...schema, type: 'object' } })).toHaveProperty('refused');
  });
});

test('hints that are no booleans are dropped, and the tool stays', () => {
  const inputSchema = { type: 'object' };
  expect(readTool({ name: 'a', inputSchema, annotations: { readOnlyHint: 'yes', destructiveHint: false } })).toEqual({
    tool: { name: 'a', input_schema: inputSchema, annotations: { destructive: false } },
  });
  expect(readTool({ name: 'a', inputSchema, annotations: 'none' })).toEqual({ tool: { name: 'a', input_schema: inputSchema } });
});
