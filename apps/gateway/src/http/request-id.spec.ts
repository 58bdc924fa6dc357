import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { requestIdOf } from './request-id.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const idOf = (headers: IncomingHttpHeaders) => requestIdOf({ headers });

describe('the id of a request', () => {
  test('is a new UUIDv7 for each request, and stable within one', () => {
    const request = { headers: {} };
    expect(requestIdOf(request)).toMatch(UUID_V7);
    expect(requestIdOf(request)).toBe(requestIdOf(request));
    expect(idOf({})).not.toBe(idOf({}));
  });

  test.each(['x-request-id', 'countersign-request-id'])('is the id that the caller sends in %s', (name) => {
    expect(idOf({ [name]: 'req_2024-118.a' })).toBe('req_2024-118.a');
  });

  test('is taken from Countersign-Request-Id if both are sent', () => {
    expect(idOf({ 'x-request-id': 'of-a-proxy', 'countersign-request-id': 'of-the-caller' })).toBe('of-the-caller');
  });

  test.each([
    ['too short', 'a1b2c3'],
    ['too long', 'a'.repeat(129)],
    ['empty', ''],
    ['with a line break', 'abcdefgh\r\nset-cookie: a=b'],
    ['with a quote', 'abcdefgh","level":"error'],
    ['two that Node has joined', 'abcdefgh, ijklmnop'],
    ['a mail address', 'someone@example.com'],
    ['an API key', 'csk_0123456789abcdef'],
  ])('is replaced where the one sent is not well-formed: %s', (_why, sent) => {
    expect(idOf({ 'x-request-id': sent })).toMatch(UUID_V7);
  });
});
