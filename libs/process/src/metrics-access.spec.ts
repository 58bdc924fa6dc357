import { expect, test } from 'vitest';
import { MetricsAccess } from './metrics-access.js';
import { TrustedProxies } from './peer-address.js';

test.each([
  ['127.0.0.1', {}, true],
  ['::1', {}, true],
  ['::ffff:127.0.0.1', {}, true],
  ['192.0.2.1', {}, false],
  [undefined, {}, false],
  ['127.0.0.1', { 'x-forwarded-for': '' }, false],
  ['127.0.0.1', { forwarded: 'for=192.0.2.1' }, false],
])('%s with %j reads without a token: %s', (peer, headers, expected) => {
  expect(new MetricsAccess(undefined).admits(peer, headers)).toBe(expected);
});

test('a trusted proxy on loopback forwards requests of others', () => {
  expect(new MetricsAccess(undefined, new TrustedProxies(['127.0.0.0/8'])).admits('127.0.0.1', {})).toBe(false);
});

test('the token grants access from everywhere; nothing else does', () => {
  const access = new MetricsAccess('a-token-of-metrics');
  const admits = (authorization: string) => access.admits('192.0.2.1', { authorization });
  expect(['Bearer a-token-of-metrics', 'bearer  a-token-of-metrics '].map(admits)).toEqual([true, true]);
  expect(['Bearer ', 'Bearer a-token', 'a-token-of-metrics', 'Bearer a-token-of-metrics-'].map(admits)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
