import { describe, expect, test } from 'vitest';
import { LoopbackCaller } from './loopback-caller.js';
import type { IncomingRequest } from './reply.js';

const request = (headers: Record<string, string>, url = '/mcp', remoteAddress = '127.0.0.1') =>
  ({ url, headers: { host: '127.0.0.1:7070', ...headers }, raw: { socket: { remoteAddress } } }) as unknown as IncomingRequest;

const callerOf = (...at: Parameters<typeof request>) => new LoopbackCaller().of(request(...at));

describe('without a token', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('%s reaches /mcp as an agent', (address) => {
    expect(callerOf({}, '/mcp', address)).toMatchObject({ tenant_id: 'default', principal: { kind: 'agent', roles: ['agent'] } });
  });

  test.each(['10.0.0.1', '::ffff:10.0.0.1', '192.168.0.1', '2001:db8::1', ''])('%j does not', (address) => {
    expect(callerOf({}, '/mcp', address)).toBeUndefined();
  });

  test.each(['/v1/calls', '/mcp/..', '/mcpx', '/v1/keys?x=/mcp'])('loopback does not reach %s', (url) => {
    expect(callerOf({}, url)).toBeUndefined();
  });

  test.each(['x-forwarded-for', 'forwarded'])('a proxy on loopback speaks for nobody: %s', (name) => {
    expect(callerOf({ [name]: '1.2.3.4' })).toBeUndefined();
  });

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:7070', ''])(
    'the host %j is that of another site',
    (host) => {
      expect(callerOf({ host })).toBeUndefined();
    },
  );
});

test('a token is never ignored, whatever it is', () => {
  expect(callerOf({ authorization: 'Bearer wrong' })).toBeUndefined();
});
