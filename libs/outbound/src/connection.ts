import { isIPv6 } from 'node:net';
import type { Dispatcher } from 'undici';
import { checkedLookup } from './checked-lookup.js';
import type { Route, Ways } from './route.js';

const CONNECT_MS = 10_000;
const HEADER_BYTES_MAX = 32 * 1024;
const CONNECTION = { connections: 1, pipelining: 0, maxHeaderSize: HEADER_BYTES_MAX };

type Headers = Readonly<Record<string, string>>;

/** One connection of its own, and how a request for the URL is addressed on it. */
export interface Connection {
  agent: Dispatcher;
  target: URL;
  headers: Headers;
}

/** Prepares the connection of one request. It is opened by the request itself. */
export async function connectionTo(url: URL, headers: Headers, route: Route, ways: Ways): Promise<Connection> {
  // Loaded by the first request: 111 modules that most processes never need.
  const undici = await import('undici');
  if (route === 'direct') return { agent: new undici.Agent(directly(url, ways)), target: url, headers };
  // The proxy connects to the checked address; the server still receives the name.
  const agent = new undici.ProxyAgent(through(route.proxy, url));
  return { agent, target: pinned(url, route.address), headers: { ...headers, host: url.host } };
}

const directly = (url: URL, { rules, resolve }: Ways) => ({
  ...CONNECTION,
  connect: { lookup: checkedLookup(url, rules, resolve), timeout: CONNECT_MS },
});

function through(proxy: URL, { hostname }: URL) {
  const timeouts = { timeout: CONNECT_MS };
  const is_name = /[a-z]/i.test(hostname) && !hostname.startsWith('[');
  return { ...CONNECTION, uri: proxy.href, proxyTls: timeouts, requestTls: { ...timeouts, ...(is_name ? { servername: hostname } : {}) } };
}

function pinned(url: URL, address: string): URL {
  const target = new URL(url);
  target.hostname = isIPv6(address) ? `[${address}]` : address;
  return target;
}

/** Closes the connection, whatever was not read. */
export const close = (agent: Dispatcher): void => void agent.destroy().catch(() => undefined);

/** Headers of a response, one text each, with names in lower case. */
export function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const named = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
}
