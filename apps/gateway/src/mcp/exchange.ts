import type { IncomingMessage } from 'node:http';
import type { Caller } from '@countersign/calls';
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { type HttpRequest, headerOf } from '../http/reply.js';
import type { CallHeaders } from './call-of-request.js';

export type ToolsShown = 'all' | 'search';

const toolsShown = (given: string | undefined): ToolsShown | undefined => (given === 'all' || given === 'search' ? given : undefined);

/** What a handler of a message knows about its HTTP request. */
export interface Exchange extends CallHeaders {
  caller: Caller;
  traceparent: string | undefined;
  /** `Countersign-Tools`: all tools listed, or found by `search_tools`; undefined: by their number. */
  tools: ToolsShown | undefined;
  /** The request, by which its log lines and its span are found. */
  raw: IncomingMessage;
}

/** Headers that the SDK reads. No other header reaches it; the token least of all. */
const SEEN_HEADERS = [
  'accept',
  'content-type',
  'host',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
];

const isSeen = (name: string): boolean => SEEN_HEADERS.includes(name) || name.startsWith('mcp-param-');

export function exchangeOf(request: HttpRequest, caller: Caller): Exchange {
  return {
    caller,
    case_id: headerOf(request, 'countersign-case'),
    run_id: headerOf(request, 'countersign-run'),
    traceparent: headerOf(request, 'traceparent'),
    tools: toolsShown(headerOf(request, 'countersign-tools')),
    raw: request.raw,
  };
}

/** The exchange in the form that the SDK passes through. It has a place for the token, which stays empty. */
const asAuthInfo = (exchange: Exchange): AuthInfo => ({
  token: '',
  clientId: exchange.caller.key_id,
  scopes: [...exchange.caller.scopes],
  extra: { exchange },
});

/** The exchange of the message that a handler serves. */
export function exchangeIn({ http }: Pick<ServerContext, 'http'>): Exchange {
  const exchange = http?.authInfo?.extra?.exchange as Exchange | undefined;
  if (!exchange) throw new Error('a message of MCP has no exchange');
  return exchange;
}

/** A request as the SDK may see it. Its body is parsed already. */
export function sdkRequest({ method, url, headers }: HttpRequest, exchange: Exchange) {
  const seen = Object.fromEntries(Object.entries(headers).filter(([name]) => isSeen(name)));
  async function* noBody(): AsyncGenerator<never> {}
  return { method, url, headers: seen, auth: asAuthInfo(exchange), [Symbol.asyncIterator]: noBody };
}
