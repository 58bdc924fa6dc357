import { callbackFault as faultBy } from '@countersign/calls';
import { AddressRules, OutboundDoor } from '@countersign/outbound';
import type { TenantKeys } from '@countersign/process';
import { describe, expect, test } from 'vitest';
import { CallbackSender } from './callback-sender.js';

const callbackFault = (url: string, allow_private: boolean) => faultBy(url, AddressRules.forCallbacks(allow_private));

const LOCAL = [
  'http://localhost/x',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://0/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fd00::1]/',
  'http://10.1.2.3/',
  'http://192.168.0.1/',
  'http://172.31.255.1/',
  'http://100.64.0.1/',
  'http://service.internal/',
  'http://printer.local/',
  'http://router/',
  'http://LOCALHOST./',
];

const METADATA = [
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166/',
  'http://0251.0376.0251.0376/',
  'http://169.254.170.2/v2/credentials',
  'http://100.100.100.200/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://METADATA.google.internal./',
];

describe('a callback URL', () => {
  test.each(METADATA)('%s is always refused, when it is set and when it is called', async (url) => {
    expect([callbackFault(url, false), callbackFault(url, true)]).toEqual([expect.any(String), expect.any(String)]);
    const door = new OutboundDoor(AddressRules.forCallbacks(true));
    const sender = new CallbackSender({ tenantKey: () => Buffer.alloc(32) } as unknown as TenantKeys, () => 0, door);
    expect(await sender.sendWith(null, { url, webhook_id: 'w', body: '{}' })).toEqual({
      taken: 'refused',
      status: null,
      error: 'address_refused',
    });
  });

  test.each(LOCAL)('%s is refused unless private addresses are allowed', (url) => {
    expect(callbackFault(url, false)).toEqual(expect.any(String));
    expect(callbackFault(url, true)).toBeUndefined();
  });

  test.each(['ftp://example.com/', 'data:text/plain,x', 'file:///etc/passwd', 'http://user:pass@example.com/', 'nonsense'])(
    '%s is refused in any case',
    (url) => {
      expect(callbackFault(url, true)).toEqual(expect.any(String));
    },
  );

  test('a public name or address is accepted', () => {
    expect(callbackFault('https://hooks.example.com/a?b=c', false)).toBeUndefined();
    expect(callbackFault('https://93.184.216.34/', false)).toBeUndefined();
    expect(callbackFault('https://[2606:4700::1111]/', false)).toBeUndefined();
  });
});
