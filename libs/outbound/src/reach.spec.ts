import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AddressRules } from './address-rules.js';
import { reachOf } from './reach.js';

/** Addresses that return credentials of the machine, at AWS, Azure, Google, Alibaba, Oracle, Tencent and Scaleway. */
const METADATA_IPV4 = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.0.23',
  '169.254.42.42',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];
const METADATA_IPV6 = ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42', 'fe80::a9fe:a9fe'];
const METADATA_NAMES = ['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal', 'metadata.tencentyun.com'];

const bytesOf = (ipv4: string): number[] => ipv4.split('.').map(Number);
const numberOf = (ipv4: string): number => bytesOf(ipv4).reduce((sum, byte) => sum * 256 + byte, 0);
const hex = (value: number): string => value.toString(16);
const highOf = (ipv4: string): string => hex(Math.floor(numberOf(ipv4) / 65_536));
const lowOf = (ipv4: string): string => hex(numberOf(ipv4) % 65_536);
const inverted = (ipv4: string): string =>
  bytesOf(ipv4)
    .map((byte) => 255 - byte)
    .join('.');

/** One byte or number in base 10, 8 or 16, with leading zeros if the base has them. */
const spelled = (value: number) =>
  fc.constantFrom(String(value), `0${value.toString(8)}`, `000${value.toString(8)}`, `0x${hex(value)}`, `0X00${hex(value).toUpperCase()}`);

/** An IPv4 address as `inet_aton` and browsers parse it: one to four parts, each in its own base, with and without a trailing dot. */
const ipv4Spelling = (ipv4: string): fc.Arbitrary<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(ipv4);
  const parts = [[numberOf(ipv4)], [a, (b * 256 + c) * 256 + d], [a, b, c * 256 + d], [a, b, c, d]];
  return fc
    .tuple(fc.constantFrom(...parts), fc.constantFrom('', '.'))
    .chain(([numbers, end]) => fc.tuple(...numbers.map(spelled)).map((texts) => texts.join('.') + end));
};

/** The IPv6 addresses that embed this IPv4 address. */
const carriers = (ipv4: string): string[] => {
  const [high, low] = [highOf(ipv4), lowOf(ipv4)];
  const inHalves = numberOf(ipv4).toString(16).padStart(8, '0');
  const teredo = inverted(ipv4);
  return [
    `::ffff:${ipv4}`,
    `::${ipv4}`,
    `::ffff:0:${ipv4}`,
    `64:ff9b::${ipv4}`,
    `64:ff9b:1::${ipv4}`,
    `64:ff9b:1:${inHalves.slice(0, 4)}:${inHalves.slice(4, 6)}:${inHalves.slice(6)}00::`,
    `2002:${high}:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${highOf(teredo)}:${lowOf(teredo)}`,
    `2001:db8::5efe:${ipv4}`,
    `2001:db8::200:5efe:${ipv4}`,
  ];
};

const groupsOf = (address: string): string[] => {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [before, after] = [head === '' ? [] : head.split(':'), tail ? tail.split(':') : []];
  return tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill('0'), ...after];
};

/** An IPv6 address: short, in full, in capitals. */
const ipv6Spelling = (address: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    address,
    address.toUpperCase(),
    groupsOf(address).join(':'),
    groupsOf(address)
      .map((group) => group.padStart(4, '0'))
      .join(':'),
  );

const metadataHost = fc.oneof(
  fc.constantFrom(...METADATA_IPV4).chain(ipv4Spelling),
  fc
    .constantFrom(...METADATA_IPV6, ...METADATA_IPV4.flatMap(carriers))
    .chain(ipv6Spelling)
    .map((address) => `[${address}]`),
  fc
    .tuple(fc.constantFrom(...METADATA_NAMES), fc.constantFrom('', '.'), fc.boolean())
    .map(([name, end, is_loud]) => (is_loud ? name.toUpperCase() : name) + end),
);

const listing = (host: string) => AddressRules.forTools(new Set([host, new URL(`https://${host}`).hostname]));

describe('addresses of metadata services', () => {
  test('are refused in every spelling, even if private addresses are allowed', () => {
    fc.assert(
      fc.property(metadataHost, fc.boolean(), (host, allow_private) => {
        for (const rules of [AddressRules.forCallbacks(allow_private), AddressRules.forIdentity(allow_private), listing(host)])
          expect(rules.fault(`https://${host}/latest/meta-data`)).toEqual({
            kind: 'address',
            message: expect.stringContaining('metadata'),
          });
      }),
      { numRuns: 2000 },
    );
  });

  test('are refused as the response of a name server, in every form', () => {
    for (const address of [...METADATA_IPV4, ...METADATA_IPV6, ...METADATA_IPV4.flatMap(carriers), 'fe80::1%eth0'])
      expect([address, reachOf(address)]).toEqual([address, 'never']);
  });

  test('others are public or private, and text that is not an address is refused', () => {
    for (const address of ['93.184.216.34', '2606:4700::1111', '168.63.129.17', '2606:4700::a9fe:a9fe'])
      expect(reachOf(address)).toBe('public');
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '100.100.100.201',
      '::1',
      'fd00::1',
      '::ffff:10.1.2.3',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ])
      expect(reachOf(address)).toBe('private');
    for (const address of ['', 'localhost', '1.2.3']) expect(reachOf(address)).toBe('never');
  });
});
