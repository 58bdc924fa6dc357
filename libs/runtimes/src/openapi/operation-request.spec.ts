import type { OperationBinding, ParameterBinding } from '@countersign/openapi';
import { isToolError } from '@countersign/tool-kit';
import { describe, expect, test } from 'vitest';
import { type OperationRequest, operationRequest } from './operation-request.js';

const at = 'https://api.example.com/v1';
const secrets = new Map([
  ['shop.key', 'k&y=1'],
  ['shop.user', 'ann:pässword'],
  ['shop.split', 'a\r\nx-evil: 1'],
]);
const parameter = (name: string, place: ParameterBinding['in'], more: Partial<ParameterBinding> = {}): ParameterBinding => ({
  ...{ input: name, name, in: place, style: place === 'path' || place === 'header' ? 'simple' : 'form', explode: place === 'query' },
  ...more,
});
const bound = (more: Partial<OperationBinding>): OperationBinding => ({
  ...{ operation: 'GET /a', method: 'GET', url: `${at}/a`, parameters: [], accept: 'application/json', credentials: [] },
  ...more,
});
const request = (more: Partial<OperationBinding>, inputs: Record<string, unknown> = {}, key?: string): OperationRequest =>
  operationRequest(bound(more), inputs, { key, secrets });
const refused = (more: Partial<OperationBinding>, inputs: Record<string, unknown> = {}) => {
  try {
    return request(more, inputs);
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { code: error.code, effect: error.more.effect, text: `${error.message} ${JSON.stringify(error.more.details)}` };
  }
};

describe('a query', () => {
  const of = (more: Partial<ParameterBinding>, value: unknown) =>
    request({ parameters: [parameter('p', 'query', more)] }, { p: value }).url.slice(`${at}/a?`.length);

  test.each<[string, Partial<ParameterBinding>, unknown, string]>([
    ['form, exploded: a list', {}, ['a', 'b c'], 'p=a&p=b%20c'],
    ['form, exploded: an object', {}, { a: 1, b: true }, 'a=1&b=true'],
    ['form: a list', { explode: false }, ['a', 'b,c'], 'p=a,b%2Cc'],
    ['form: an object', { explode: false }, { a: 1 }, 'p=a,1'],
    ['spaces', { style: 'spaceDelimited', explode: false }, ['a', 'b'], 'p=a%20b'],
    ['pipes', { style: 'pipeDelimited', explode: false }, ['a', 'b'], 'p=a%7Cb'],
    ['a deep object', { style: 'deepObject' }, { a: { b: [1, 2] } }, 'p[a][b][0]=1&p[a][b][1]=2'],
    ['JSON', { style: 'json' }, { a: 1 }, 'p=%7B%22a%22%3A1%7D'],
    ['reserved characters, but none that begins another parameter', { reserved: true }, 'a/b?c&d=e#f', 'p=a/b?c%26d%3De%23f'],
    ['null', {}, null, 'p='],
  ])('%s', (_, more, value, text) => expect(of(more, value)).toBe(text));

  test('carries a credential that no input can replace', () => {
    const credentials = [{ secret: 'shop.key', as: 'query', name: 'api_key' }] as const;
    const open = { credentials: [...credentials], parameters: [parameter('p', 'query')] };
    expect(request(open, { p: { q: 'a' } }).url).toBe(`${at}/a?q=a&api_key=k%26y%3D1`);
    expect(refused(open, { p: { api_key: 'mine' } })).toMatchObject({ code: 'VALIDATION_ERROR', effect: 'none' });
  });
});

describe('a path', () => {
  const path = { url: `${at}/users/{id}/posts`, parameters: [parameter('id', 'path')] };

  test('takes any text as one segment', () => {
    expect(request(path, { id: 'a/../b?c#d' }).url).toBe(`${at}/users/a%2F..%2Fb%3Fc%23d/posts`);
    expect(request(path, { id: [1, 2] }).url).toBe(`${at}/users/1,2/posts`);
  });

  test.each(['.', '..', '', null, undefined])('%j does not lead to another operation', (id) => {
    expect(refused(path, { id })).toMatchObject({ code: 'VALIDATION_ERROR', effect: 'none' });
  });
});

describe('headers and cookies', () => {
  test('take printable ASCII only: a line break makes no other header', () => {
    const header = { parameters: [parameter('X-Note', 'header')] };
    expect(request(header, { 'X-Note': 'a b' }).headers['x-note']).toBe('a b');
    expect(refused(header, { 'X-Note': 'a\r\nx-evil: 1' })).toMatchObject({ code: 'VALIDATION_ERROR', effect: 'none' });
  });

  test('carry credentials after all inputs', () => {
    const credentials = (as: 'bearer' | 'basic' | 'header' | 'cookie', secret = 'shop.key') => ({
      credentials: [{ secret, as, name: 'X-Key' }],
    });
    expect(request(credentials('bearer')).headers.authorization).toBe('Bearer k&y=1');
    expect(request(credentials('basic', 'shop.user')).headers.authorization).toBe(
      `Basic ${Buffer.from('ann:pässword').toString('base64')}`,
    );
    expect(request(credentials('basic')).headers.authorization).toBe(`Basic ${Buffer.from('k&y=1:').toString('base64')}`);
    const both = { ...credentials('header'), parameters: [parameter('x-key', 'header')] };
    expect(request(both, { 'x-key': 'mine' }).headers['x-key']).toBe('k&y=1');
    const cookies = { ...credentials('cookie'), parameters: [parameter('c', 'cookie')] };
    expect(request(cookies, { c: 'a;b' }).headers.cookie).toBe('c=a%3Bb; X-Key=k&y=1');
  });

  test('a secret that a header cannot carry is named, and not shown', () => {
    const found = refused({ credentials: [{ secret: 'shop.split', as: 'bearer', name: '' }] });
    expect(found).toMatchObject({ code: 'AUTH_REQUIRED', effect: 'none' });
    expect(JSON.stringify(found)).toContain('shop.split');
    expect(JSON.stringify(found)).not.toContain('x-evil');
  });

  test('carry the key of the attempt where the operation has a header for it', () => {
    const write = { method: 'POST', idempotency_header: 'Idempotency-Key' } as const;
    expect(request(write, {}, 'key-1').headers['idempotency-key']).toBe('key-1');
    expect(request({ method: 'POST' }, {}, 'key-1').headers).not.toHaveProperty('idempotency-key');
  });
});

describe('a body', () => {
  const form = { kind: 'form', content_type: 'application/x-www-form-urlencoded' } as const;

  test('is the JSON of one input, or of the inputs that are given', () => {
    const json = { kind: 'json', content_type: 'application/json' } as const;
    expect(request({ method: 'POST', body: { ...json, from: { input: 'body' } } }, { body: [1] })).toMatchObject({
      body: '[1]',
      headers: { 'content-type': 'application/json' },
    });
    expect(request({ method: 'POST', body: { ...json, from: { properties: ['a', 'b'] } } }, { a: null, x: 1 }).body).toBe('{"a":null}');
    expect(request({ method: 'POST', body: { ...json, from: { properties: ['a'] } } }, {}).headers).not.toHaveProperty('content-type');
  });

  test('is a form with the styles that the document declares', () => {
    const body = {
      ...form,
      from: { properties: ['amount', 'metadata', 'expand', 'items', 'note'] },
      styles: { metadata: { style: 'deepObject', explode: true }, expand: { style: 'deepObject', explode: true } },
    } as const;
    const inputs = { amount: 5, metadata: { 'a&b': 'c d' }, expand: ['x'], items: [1, 2], note: { deep: true } };
    expect(request({ method: 'POST', body: { ...body, from: { properties: [...body.from.properties] } } }, inputs).body).toBe(
      'amount=5&metadata[a%26b]=c%20d&expand[0]=x&items=1&items=2&note=%7B%22deep%22%3Atrue%7D',
    );
  });
});
