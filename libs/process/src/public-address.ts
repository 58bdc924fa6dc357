import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

// Two lists: in one, an IPv4 address would also match the IPv4-mapped range.
const refused = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  refused.ipv4.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  refused.ipv6.addSubnet(net, bits, 'ipv6');

/** Whether an address is loopback, private, link-local, multicast or otherwise not of the public internet. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return family === 4 ? refused.ipv4.check(address, 'ipv4') : refused.ipv6.check(address, 'ipv6');
}

/** Resolves a name and refuses what is not public, at the moment of connecting: a name cannot change its mind in between. */
export const publicLookup: LookupFunction = (name, options, done) => {
  resolveName(name, { ...options, all: true }, (error, addresses) => {
    const bad = error ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
    const fault = error ?? (bad || addresses.length === 0 ? new Error(`${name} is not a public address`) : null);
    if (fault) done(fault, '', 4);
    else if (options.all) (done as (error: null, all: typeof addresses) => void)(null, addresses);
    else done(null, addresses[0]?.address as string, addresses[0]?.family as number);
  });
};
