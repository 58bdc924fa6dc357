import type { Dispatcher } from 'undici';
import type { AddressRules } from './address-rules.js';
import { checkedLookup, type ResolveAll } from './checked-lookup.js';
import { type Exchanged, failed, type OutboundRequest } from './exchange.js';
import { networkFault } from './network-faults.js';

const CONNECT_MS = 10_000;
const HEADER_BYTES_MAX = 32 * 1024;
/** Of a body that nobody reads, so much is taken before its connection is closed: the server of a short one sees no reset. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** One request on a connection of its own, to an address that the rules take at the moment of connecting. Follows no redirect. */
export async function singleRequest(url: URL, request: OutboundRequest, rules: AddressRules, resolve: ResolveAll): Promise<Exchanged> {
  // Loaded by the first request: 111 modules that most processes never need.
  const undici = await import('undici');
  const agent = new undici.Agent({
    connections: 1,
    pipelining: 0,
    maxHeaderSize: HEADER_BYTES_MAX,
    connect: { lookup: checkedLookup(url, rules, resolve), timeout: CONNECT_MS },
  });
  const { method, headers, body = null, signal } = request;
  try {
    const answer = await undici.request(url, { method, headers, body, dispatcher: agent, signal });
    return await received(url, answer, request, agent);
  } catch (cause) {
    close(agent);
    return networkFault(cause, signal);
  }
}

async function received(url: URL, answer: Dispatcher.ResponseData, request: OutboundRequest, agent: Dispatcher): Promise<Exchanged> {
  const head = { kind: 'answered' as const, url: url.href, status: answer.statusCode, headers: flat(answer.headers), redirects: [] };
  if (request.answer === 'status_only') {
    // The caller has its answer; a body that stalls ends with the signal.
    void answer.body
      .dump({ limit: UNREAD_BYTES_MAX, signal: request.signal })
      .catch(() => undefined)
      .finally(() => close(agent));
    return { ...head, bytes: Buffer.alloc(0), cut: false };
  }
  const { bytes_max, when_larger } = request.answer;
  const { bytes, cut } = await read(answer.body, bytes_max);
  // What is left of a cut answer goes with its connection.
  close(agent);
  return cut && when_larger === 'fail' ? failed('too_large', 'the answer is too large', { unsent: false }) : { ...head, bytes, cut };
}

const close = (agent: Dispatcher): void => void agent.destroy().catch(() => undefined);

async function read(body: Dispatcher.ResponseData['body'], bytes_max: number): Promise<{ bytes: Buffer; cut: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    const room = bytes_max - length;
    parts.push(part.length > room ? part.subarray(0, room) : part);
    length += Math.min(part.length, room);
    if (part.length > room) return { bytes: Buffer.concat(parts), cut: true };
  }
  return { bytes: Buffer.concat(parts), cut: false };
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const named = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]));
}
