import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { AddressRules } from './address-rules.js';
import { AddressRefused, type ResolveAll } from './checked-lookup.js';
import type { Proxies } from './proxies.js';
import { reachOf } from './reach.js';

/** What a request needs to reach its server. */
export interface Ways {
  rules: AddressRules;
  resolve: ResolveAll;
  proxies: Proxies;
}

/** How a request reaches its server. `address`: the address to which the proxy connects; the proxy resolves no name. */
export type Route = { proxy: URL; address: string } | 'direct';

/**
 * A request to a public address uses the operator's proxy, with the address that was checked here. Private addresses are reached
 * directly: a proxy would look in its own network. @throws Error if the name is not resolved or is refused.
 */
export async function routeTo(url: URL, { proxies, rules, resolve }: Ways, signal: AbortSignal): Promise<Route> {
  const proxy = proxies.proxyFor(url);
  if (!proxy) return 'direct';
  const addresses = await addressesOf(url, resolve, signal);
  const fault = rules.answerFault(url, addresses);
  if (fault !== undefined) throw new AddressRefused(fault);
  return addresses.every((address) => reachOf(address) === 'public') ? { proxy, address: addresses[0] as string } : 'direct';
}

async function addressesOf({ hostname }: URL, resolve: ResolveAll, signal: AbortSignal): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  const found = await new Promise<LookupAddress[]>((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
    resolve(hostname, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses)));
  });
  return found.map(({ address }) => address);
}
