import { isIPv6 } from 'node:net';
import type { Dispatcher } from 'undici';
import { checkedLookup } from './checked-lookup.js';
import { type Exchanged, failed, type OutboundRequest } from './exchange.js';
import { networkFault } from './network-faults.js';
import { type Route, routeTo, type Ways } from './route.js';

const CONNECT_MS = 10_000;
const HEADER_BYTES_MAX = 32 * 1024;
/** Bytes of an unread body that are drained before its connection closes, so that the server of a short body sees no reset. */
const UNREAD_BYTES_MAX = 64 * 1024;
const CONNECTION = { connections: 1, pipelining: 0, maxHeaderSize: HEADER_BYTES_MAX };

/** One request on its own connection, to an address that the rules accept at the moment of connecting. Follows no redirect. */
export async function singleRequest(url: URL, request: OutboundRequest, ways: Ways): Promise<Exchanged> {
  try {
    const route = await routeTo(url, ways, request.signal);
    return await sent(url, request, route, ways);
  } catch (cause) {
    return networkFault(cause, request.signal);
  }
}

async function sent(url: URL, request: OutboundRequest, route: Route, ways: Ways): Promise<Exchanged> {
  // Loaded by the first request: 111 modules that most processes never need.
  const undici = await import('undici');
  const { method, body = null, signal } = request;
  const agent = route === 'direct' ? new undici.Agent(directly(url, ways)) : new undici.ProxyAgent(through(route.proxy, url));
  // The proxy connects to the checked address; the server still receives the name.
  const target = route === 'direct' ? url : pinned(url, route.address);
  const headers = route === 'direct' ? request.headers : { ...request.headers, host: url.host };
  try {
    const answer = await undici.request(target, { method, headers, body, dispatcher: agent, signal });
    return await received(url, answer, request, agent);
  } catch (cause) {
    close(agent);
    throw cause;
  }
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

async function received(url: URL, answer: Dispatcher.ResponseData, request: OutboundRequest, agent: Dispatcher): Promise<Exchanged> {
  const head = { kind: 'answered' as const, url: url.href, status: answer.statusCode, headers: flat(answer.headers), redirects: [] };
  if (request.answer === 'status_only') {
    // The caller has its response; the signal ends a body that stalls.
    void answer.body
      .dump({ limit: UNREAD_BYTES_MAX, signal: request.signal })
      .catch(() => undefined)
      .finally(() => close(agent));
    return { ...head, bytes: Buffer.alloc(0), cut: false };
  }
  const { bytes_max, when_larger } = request.answer;
  const { bytes, cut } = await read(answer.body, bytes_max);
  // The rest of a cut response is dropped with its connection.
  close(agent);
  return cut && when_larger === 'fail' ? failed('too_large', 'the response is too large', { unsent: false }) : { ...head, bytes, cut };
}

const close = (agent: Dispatcher): void => void agent.destroy().catch(() => undefined);

async function read(body: Dispatcher.ResponseData['body'], bytes_max: number): Promise<{ bytes: Buffer; cut: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    const space = bytes_max - length;
    parts.push(part.length > space ? part.subarray(0, space) : part);
    length += Math.min(part.length, space);
    if (part.length > space) return { bytes: Buffer.concat(parts), cut: true };
  }
  return { bytes: Buffer.concat(parts), cut: false };
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const named = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
}
