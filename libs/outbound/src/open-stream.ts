import { close, connectionTo, flatHeaders } from './connection.js';
import type { OutboundFault, OutboundRequest } from './exchange.js';
import { networkFault } from './network-faults.js';
import { routeTo, type Ways } from './route.js';

/** A request whose response is read as it arrives. Its signal ends it; there is no other time limit after the connection is made. */
export type StreamRequest = Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body' | 'signal'>;

/** A response whose body is read as it arrives. The reader bounds it, and closes it if it does not read to the end. */
export interface OpenAnswer {
  kind: 'opened';
  status: number;
  headers: Readonly<Record<string, string>>;
  body: AsyncIterable<Buffer>;
  close(): void;
}

/** Sends one request on its own connection, to an address that the rules accept at the moment of connecting. Follows no redirect. */
export async function openStream(url: URL, request: StreamRequest, ways: Ways): Promise<OpenAnswer | OutboundFault> {
  const { method, body = null, signal } = request;
  try {
    const route = await routeTo(url, ways, signal);
    const { agent, target, headers } = await connectionTo(url, request.headers, route, ways);
    const path = target.pathname + target.search;
    const sent = agent.request({ origin: target.origin, path, method, headers, body, signal, headersTimeout: 0, bodyTimeout: 0 });
    const answer = await sent.catch((cause) => {
      close(agent);
      throw cause;
    });
    answer.body.once('close', () => close(agent));
    return {
      kind: 'opened',
      status: answer.statusCode,
      headers: flatHeaders(answer.headers),
      body: answer.body as AsyncIterable<Buffer>,
      close: () => close(agent),
    };
  } catch (cause) {
    return networkFault(cause, signal);
  }
}
