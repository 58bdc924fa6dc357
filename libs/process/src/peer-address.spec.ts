import { expect, test } from 'vitest';
import { countedAddress, isLoopback, plainAddress, TrustedProxies } from './peer-address.js';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ['nonsense', 'local'],
  [undefined, 'local'],
])('%s counts as %s', (text, counted) => {
  expect(countedAddress(text)).toBe(counted);
});

test('two addresses of one /64 count as one, those of two /64 do not', () => {
  expect(countedAddress('2001:db8:1:2::1')).toBe(countedAddress('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  expect(countedAddress('2001:db8:1:2::1')).not.toBe(countedAddress('2001:db8:1:3::1'));
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:7f00:1', true],
  ['10.0.0.1', false],
  ['::2', false],
  ['1::1', false],
  [undefined, false],
])('%s is loopback: %s', (text, expected) => {
  expect(isLoopback(text)).toBe(expected);
});

test('an address has one canonical text', () => {
  expect(plainAddress('2001:db8::0001')).toBe(plainAddress('2001:DB8:0:0:0:0:0:1'));
});

const proxies = new TrustedProxies(['10.0.0.0/8', '::1']);

test.each([
  ['198.51.100.1', '192.0.2.1', '198.51.100.1', 'a peer that is no trusted proxy speaks for itself'],
  ['10.0.0.1', '192.0.2.1', '192.0.2.1', 'one proxy'],
  ['::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1', 'a mapped proxy'],
  ['10.0.0.1', '203.0.113.9, 192.0.2.1', '192.0.2.1', 'what the client wrote is not believed'],
  ['10.0.0.1', '192.0.2.1, 10.2.2.2', '192.0.2.1', 'two proxies'],
  ['10.0.0.1', '[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1', 'an entry with a port'],
  ['10.0.0.1', '192.0.2.1:443', '192.0.2.1', 'an entry with a port'],
  ['10.0.0.1', 'unknown', '10.0.0.1', 'an entry without an address'],
  ['10.0.0.1', '192.0.2.1, unknown', '10.0.0.1', 'nothing is believed that stands before it'],
  ['10.0.0.1', undefined, '10.0.0.1', 'no header'],
])('%s with %s is %s: %s', (peer, forwarded_for, client, _why) => {
  expect(proxies.clientOf(peer, forwarded_for)).toBe(client);
});

test.each([['10.0.0.0/33'], ['nonsense'], ['10.0.0.0/'], ['::/129'], ['example.com']])('%s is no range', (range) => {
  expect(TrustedProxies.faultOf(['10.0.0.0/8', range])).toContain(range);
  expect(() => new TrustedProxies([range])).toThrow(range);
});
