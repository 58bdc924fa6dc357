import { BlockList, isIP } from 'node:net';

/** Reachability of an address. `private`: only if the operator allows it. `never`: in no installation. */
export type Reach = 'public' | 'private' | 'never';

type Family = 'ipv4' | 'ipv6';
type Networks = readonly (readonly [net: string, bits: number])[];

function listOf(family: Family, networks: Networks): BlockList {
  const list = new BlockList();
  for (const [net, bits] of networks) list.addSubnet(net, bits, family);
  return list;
}

// One list for each family: in a common list an IPv4 address would also match the IPv4-mapped range.
const isPrivate = {
  ipv4: listOf('ipv4', [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ]),
  ipv6: listOf('ipv6', [
    ['::', 96],
    ['::ffff:0:0', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['fc00::', 7],
    ['fec0::', 10],
    ['ff00::', 8],
  ]),
};

/** Link-local addresses, and the metadata services of clouds, which return credentials of the machine to every caller. */
const isNever = {
  ipv4: listOf('ipv4', [
    ['169.254.0.0', 16],
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
    ['192.0.0.192', 32],
  ]),
  ipv6: listOf('ipv6', [
    ['fe80::', 10],
    ['fd00:ec2::', 32],
    ['fd20:ce::', 32],
    ['fd00:42::42', 128],
  ]),
};

/** Names of metadata services. They are refused before they are resolved. */
export const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const numbers = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return numbers(head);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

const ipv4Of = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The IPv4 addresses that an IPv6 address embeds: mapped, compatible, translated, NAT64, 6to4, Teredo and ISATAP. */
function carriedBy(address: string): string[] {
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groupsOf(address);
  const last = ipv4Of(g6, g7);
  if (g0 === 0x2002) return [ipv4Of(g1, g2)];
  if (g0 === 0x64 && g1 === 0xff9b) return [last, ipv4Of(g3, ((g4 & 255) << 8) | (g5 >> 8))];
  if (g0 === 0x2001 && g1 === 0) return [ipv4Of(g6 ^ 0xffff, g7 ^ 0xffff), ipv4Of(g2, g3)];
  const isLow = g0 === 0 && g1 === 0 && g2 === 0 && g3 === 0;
  const isIsatap = (g4 & 0xfdff) === 0 && g5 === 0x5efe;
  return isLow || isIsatap ? [last] : [];
}

/** Classifies an IP address. Text that is not an IP address is `never`. */
export function reachOf(address: string): Reach {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 0) return 'never';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (isNever[family].check(bare, family)) return 'never';
  if (version === 6 && carriedBy(bare).some((ipv4) => isNever.ipv4.check(ipv4, 'ipv4'))) return 'never';
  return isPrivate[family].check(bare, family) ? 'private' : 'public';
}
