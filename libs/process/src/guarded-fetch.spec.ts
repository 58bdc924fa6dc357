import { describe, expect, test } from '@jest/globals';
import { addressFault, guardedFetch } from './guarded-fetch.js';

const METADATA = [
  'https://169.254.169.254/latest/meta-data',
  'https://2852039166/',
  'https://0251.0376.0251.0376/',
  'https://0xa9fea9fe/',
  'https://169.254.170.2/v2/credentials',
  'https://100.100.100.200/',
  'https://[fd00:ec2::254]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[2002:a9fe:a9fe::1]/',
  'https://metadata.google.internal./',
];

describe('what an admin names as an identity provider or a token endpoint', () => {
  test.each(METADATA)('%s is refused, also where private addresses are allowed, and nothing is sent', async (url) => {
    for (const allow_private of [false, true]) {
      expect(addressFault(url, allow_private)).toEqual(expect.stringContaining('metadata'));
      await expect(guardedFetch(url, {}, allow_private)).rejects.toThrow('metadata');
    }
  });

  test('a private address is refused unless those are allowed', () => {
    expect(addressFault('https://10.0.0.1/', false)).toEqual(expect.any(String));
    expect(addressFault('https://10.0.0.1/', true)).toBeUndefined();
    expect(addressFault('https://idp.example.com/', false)).toBeUndefined();
  });
});
