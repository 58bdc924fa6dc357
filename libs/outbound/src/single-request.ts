import type { Dispatcher } from 'undici';
import { close, connectionTo, flatHeaders } from './connection.js';
import { type Exchanged, failed, type OutboundRequest } from './exchange.js';
import { networkFault } from './network-faults.js';
import { type Route, routeTo, type Ways } from './route.js';

/** Bytes of an unread body that are drained before its connection closes, so that the server of a short body sees no reset. */
const UNREAD_BYTES_MAX = 64 * 1024;

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
  const { method, body = null, signal } = request;
  const { agent, target, headers } = await connectionTo(url, request.headers, route, ways);
  try {
    const answer = await agent.request({ origin: target.origin, path: target.pathname + target.search, method, headers, body, signal });
    return await received(url, answer, request, agent);
  } catch (cause) {
    close(agent);
    throw cause;
  }
}

async function received(url: URL, answer: Dispatcher.ResponseData, request: OutboundRequest, agent: Dispatcher): Promise<Exchanged> {
  const head = { kind: 'answered' as const, url: url.href, status: answer.statusCode, headers: flatHeaders(answer.headers), redirects: [] };
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
