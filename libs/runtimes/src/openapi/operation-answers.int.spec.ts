import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolContract } from '@countersign/contracts';
import type { OperationBinding, ToolBinding } from '@countersign/openapi';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import { isToolError, type ToolError } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OpenApiRuntime } from './openapi-runtime.js';

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** What the server answers, in turn; the last one for ever. */
let answers: Answer[] = [];
let asked: string[] = [];
let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const {
      status,
      headers = { 'content-type': 'application/json' },
      body = '',
    } = (answers.length > 1 ? answers.shift() : answers[0]) as Answer;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
});

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
const read = (more: Partial<OperationBinding> = {}): OperationBinding => ({
  ...{ operation: 'GET /a', method: 'GET', url: `${base}/a`, parameters: [], accept: 'application/json', credentials: [] },
  ...more,
});
const contract = { name: 'shop__a', version: '1.0.0', max_output_bytes: 1000 } as ToolContract;

function runtime(binding: Partial<ToolBinding>, matches?: (output: unknown) => boolean | { error: string }) {
  const door = new OutboundDoor(AddressRules.forTools(new Set([new URL(base).host])));
  return new OpenApiRuntime(contract, { ...read(), ...binding }, { door, matches: matches && (({ output }) => matches(output)) });
}
const job = (input: object = {}) => ({ tool: 'shop__a@1.0.0', input, context: testContext() });
const fault = async (binding: Partial<ToolBinding>, first: Answer): Promise<ToolError> => {
  answers = [first];
  const thrown: unknown = await runtime(binding)
    .run(job())
    .catch((error: unknown) => error);
  if (!isToolError(thrown)) throw new Error(JSON.stringify(thrown));
  return thrown;
};

describe('a status', () => {
  test.each<[number, Record<string, string>, object]>([
    [429, { 'retry-after': '7' }, { code: 'RATE_LIMIT', more: { retry_after_s: 7, effect: 'none' } }],
    [401, {}, { code: 'AUTH_REQUIRED', more: { effect: 'none', class: 'authorization' } }],
    [404, {}, { code: 'VALIDATION_ERROR', more: { effect: 'none', class: 'not_found' } }],
    [409, {}, { code: 'VALIDATION_ERROR', more: { effect: 'none' } }],
    [307, { location: '/b' }, { code: 'PROVIDER_ERROR', more: { effect: 'none' } }],
  ])('%i says that nothing happened', async (status, headers, expected) => {
    expect(await fault({ method: 'POST' }, { status, headers })).toMatchObject(expected);
    expect(asked).toHaveLength(1);
  });

  test.each([500, 502, 503, 504, 408, 302])('%i does not say whether a write happened', async (status) => {
    expect((await fault({ method: 'POST' }, { status, headers: { location: '/b' } })).more.effect).toBeUndefined();
  });

  test('409 to a request with a key does not say so either: another one with it may be running', async () => {
    expect((await fault({ method: 'POST', idempotency_header: 'Idempotency-Key' }, { status: 409 })).more.effect).toBeUndefined();
  });
});

describe('a body', () => {
  test('is JSON, text, an attachment or nothing', async () => {
    answers = [json({ a: 1 }, 201)];
    expect(await runtime({}).run(job())).toEqual({ status: 201, body: { a: 1 } });
    answers = [{ status: 204, headers: {} }];
    expect(await runtime({}).run(job())).toEqual({ status: 204 });
    answers = [{ status: 200, headers: { 'content-type': 'text/plain' }, body: 'text' }];
    expect(await runtime({}).run(job())).toEqual({ status: 200, body: 'text' });
    answers = [{ status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF' }];
    expect(await runtime({}).run(job())).toMatchObject({ attachment: expect.any(String) });
  });

  test('that is not what its type says, is compressed or too large is an error that shows none of it', async () => {
    expect((await fault({}, { status: 200, headers: { 'content-type': 'application/json' }, body: '{"a":' })).message).toBe(
      'the body of the response is not JSON',
    );
    expect((await fault({}, { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'x' })).message).toContain('compressed');
    expect((await fault({}, { status: 200, headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(100_000) })).message).toContain(
      'more bytes',
    );
  });
});

describe('pages', () => {
  const page = { input: 'page', name: 'page', in: 'query', style: 'form', explode: true } as const;

  test('by a link follow its value and never its address', async () => {
    const link = {
      'content-type': 'application/json',
      link: '<https://evil.example.com/steal?page=2>; rel="next", <https://x/?page=9>; rel="last"',
    };
    answers = [
      { status: 200, headers: link, body: '[1]' },
      { status: 200, body: '[2]' },
    ];
    const pages = { kind: 'link', input: 'page', items: '', follow_max: 5 } as const;
    expect(await runtime({ parameters: [page], pages }).run(job())).toEqual({ status: 200, body: [1, 2] });
    expect(asked).toEqual(['GET /a', 'GET /a?page=2']);
  });

  test('end at the bound, even where a server has one for ever', async () => {
    answers = [json({ items: [1], next_cursor: 'again' })];
    const pages = { kind: 'cursor', input: 'page', next: '/next_cursor', items: '/items', follow_max: 3 } as const;
    expect(await runtime({ parameters: [page], pages }).run(job())).toEqual({
      ...{ status: 200, body: { items: [1, 1, 1], next_cursor: 'again' } },
      next_page: { input: 'page', value: 'again' },
    });
    expect(asked).toHaveLength(3);
  });

  test('that are together larger than an output are an error', async () => {
    answers = [json({ items: ['x'.repeat(30_000)], next_cursor: 'again' })];
    const pages = { kind: 'cursor', input: 'page', next: '/next_cursor', items: '/items', follow_max: 20 } as const;
    await expect(runtime({ parameters: [page], pages }).run(job())).rejects.toThrow('the pages are larger');
    expect(asked.length).toBeLessThan(5);
  });
});

describe('a reconcile', () => {
  const binding = (more: object = {}) => ({
    reconcile: { read: read(), inputs: {}, items: '/body', matches: 'true', is_complete: true, ...more },
  });
  const asks = (found: Answer, matches: (output: unknown) => boolean | { error: string }, more: object = {}) => {
    answers = [found];
    return runtime(binding(more), matches).reconcile(job());
  };

  test('finds the one candidate that matches', async () => {
    expect(await asks(json([1, 2]), (output) => output === 2)).toEqual({ kind: 'happened', output: { status: 200, body: 2 } });
  });

  test('says that nothing happened only where the read is complete', async () => {
    expect(await asks(json([1]), () => false)).toEqual({ kind: 'did_not_happen' });
    expect(await asks(json([1]), () => false, { is_complete: false })).toMatchObject({ kind: 'cannot_tell' });
  });

  test.each<[string, Answer, (output: unknown) => boolean | { error: string }]>([
    ['two candidates match', json([1, 1]), () => true],
    ['the expression fails', json([1]), () => ({ error: 'no such field' })],
    ['the output has no list', json({ a: 1 }), () => true],
    ['the read fails', { status: 500 }, () => true],
    ['the read is refused', { status: 404 }, () => false],
  ])('cannot tell where %s', async (_, found, matches) => {
    expect(await asks(found, matches)).toMatchObject({ kind: 'cannot_tell' });
  });

  test('cannot tell where more pages follow than are read', async () => {
    answers = [json({ items: [1], next_cursor: 'more' })];
    const parameters = [{ input: 'page', name: 'page', in: 'query', style: 'form', explode: true } as const];
    const paged = read({ parameters, pages: { kind: 'cursor', input: 'page', next: '/next_cursor', items: '/items', follow_max: 2 } });
    expect(await runtime(binding({ read: paged, items: '/body/items' }), () => false).reconcile(job())).toMatchObject({
      kind: 'cannot_tell',
    });
  });
});
