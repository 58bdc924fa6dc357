import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import {
  type CompiledDocument,
  type CompiledTool,
  type CompileJob,
  compileInThread,
  importOptions,
  type SkippedOperation,
} from '@countersign/openapi';
import { describe, expect, test } from 'vitest';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../openapi/documents');
const file = (name: string) => readFileSync(path.join(folder, name));

interface Read {
  document: CompiledDocument | undefined;
  tools: CompiledTool[];
  skipped: SkippedOperation[];
  /** Longest time that this thread was busy with one part. */
  busy_ms: number;
  took_ms: number;
}

async function read(document: CompileJob['document'], more: object = {}, time_ms?: number): Promise<Read> {
  const found: Read = { document: undefined, tools: [], skipped: [], busy_ms: 0, took_ms: 0 };
  const from_ms = performance.now();
  for await (const part of compileInThread({ document, options: importOptions.parse({ name: 'api', ...more }) }, time_ms)) {
    const at = process.cpuUsage();
    found.document ??= part.document;
    found.tools.push(...part.tools);
    found.skipped.push(...part.skipped);
    const { user, system } = process.cpuUsage(at);
    found.busy_ms = Math.max(found.busy_ms, (user + system) / 1000);
  }
  found.took_ms = performance.now() - from_ms;
  return found;
}

const kilobytes = (tools: CompiledTool[]) => Math.max(...tools.map(({ contract_json }) => Buffer.byteLength(contract_json))) / 1000;

describe('a real document', () => {
  test.each<[string, CompileJob['document'], object, number, number]>([
    ['of the petstore', { bytes: file('petstore.yaml') }, {}, 19, 0],
    ['of GitHub, in part', { gzip: file('github-excerpt.json.gz') }, {}, 138, 1],
    ['of Stripe', { gzip: file('stripe-2022-04-12.json.gz') }, { security_scheme: 'bearerAuth' }, 416, 1],
  ])('%s becomes tools with contracts of at most 20 kB', async (_, document, options, tools, skipped) => {
    const found = await read(document, options);
    expect([found.tools.length, found.skipped.length], JSON.stringify(found.skipped)).toEqual([tools, skipped]);
    expect(kilobytes(found.tools)).toBeLessThanOrEqual(20);
    expect(new Set(found.tools.map(({ name }) => name)).size).toBe(tools);
  });

  test('of Stripe sends forms, follows by the last item, and names one secret', async () => {
    const { tools } = await read(
      { gzip: file('stripe-2022-04-12.json.gz') },
      { security_scheme: 'bearerAuth', only: ['PostCharges', 'GetCharges'] },
    );
    const binding = (operation: string) => JSON.parse(tools.find((tool) => tool.operation === operation)?.binding_json ?? '{}');
    expect(binding('POST /v1/charges').body).toMatchObject({ kind: 'form', styles: { metadata: { style: 'deepObject', explode: true } } });
    expect(binding('GET /v1/charges').pages).toMatchObject({
      kind: 'cursor',
      input: 'starting_after',
      items: '/data',
      after: '/id',
      more: '/has_more',
    });
    expect(tools.flatMap(({ secrets }) => secrets)).toEqual(['api.bearerAuth', 'api.bearerAuth']);
  });
});

const paths = (count: number, operation: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`/p${at}/{id}`, { get: operation }]));
const get = {
  summary: 'Read one',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
  responses: { 200: { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } } },
};
const document = (more: object) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'A', version: '1' },
    servers: [{ url: 'https://a.example.com' }],
    components: { schemas: { A: { type: 'object', properties: { a: { type: 'string' } } } } },
    ...more,
  });
const nested = (levels: number): string => `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`;

describe('a document', () => {
  test('of 500 operations takes less than ten seconds', async () => {
    const { tools, took_ms } = await read({ text: document({ paths: paths(500, get) }) });
    expect(tools).toHaveLength(500);
    expect(took_ms).toBeLessThan(10_000);
  });

  test('of 10,000 operations is refused with what to do, and gives those that are chosen', async () => {
    const text = document({ paths: paths(10_000, get) });
    await expect(read({ text })).rejects.toThrow('has 10000 operations; one import takes at most 1000: choose some with `only`');
    expect((await read({ text }, { only: ['GET /p77/{id}'] })).tools.map(({ operation }) => operation)).toEqual(['GET /p77/{id}']);
  });

  test('with a description of 1 MB keeps a short one', async () => {
    const { tools } = await read({ text: document({ paths: paths(1, { ...get, description: 'word '.repeat(200_000) }) }) });
    expect(kilobytes(tools)).toBeLessThan(3);
  });

  test.each<[string, CompileJob['document'], string]>([
    [
      'an alias bomb',
      {
        text: `openapi: 3.1.0\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
          .split('')
          .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join()}]`)
          .join('\n')}\npaths: {}`,
      },
      'aliases',
    ],
    ['deep nesting', { text: document({ paths: {} }).replace('"paths":{}', `"paths":{},"x":${nested(5_000)}`) }, 'nested deeper'],
    ['deep nesting in YAML', { text: `openapi: 3.1.0\nx: ${'['.repeat(20_000)}` }, 'neither JSON nor YAML'],
    ['a gzip bomb', { gzip: gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')) }, 'more than 16777216 bytes'],
    ['no gzip', { gzip: Buffer.from('plain') }, 'is not gzip'],
    ['no document', { text: 'hello' }, 'not an object'],
    ['Swagger 2.0', { text: '{"swagger":"2.0","paths":{}}' }, 'Swagger 2.0'],
    ['another version', { text: '{"openapi":"3.2.0","paths":{}}' }, '3.0.x or 3.1.x'],
    ['a prototype key', { text: '{"openapi":"3.0.0","paths":{"/a":{"get":{"__proto__":{"a":1},"responses":{}}}}}' }, 'set base_url'],
  ])('with %s is refused, and this thread goes on', async (_, hostile, said) => {
    await expect(read(hostile)).rejects.toThrow(said);
  });

  test('that takes too long is given up', async () => {
    await expect(read({ gzip: file('stripe-2022-04-12.json.gz') }, {}, 100)).rejects.toThrow('takes more than 0.1 s');
  });
});
