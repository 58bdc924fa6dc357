import { ToolError } from '@countersign/tool-kit';
import type { Dispatcher } from 'undici';
import type { AddressRules } from './address-rules.js';

/** What is sent. Redirects are followed for requests without effect only. */
export interface Sent {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  redirects_max: number;
  bytes_max: number;
}

/** What came back, after redirects. */
export interface Received {
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  /** There was more than `bytes_max`; the rest was not read. */
  cut: boolean;
  /** Addresses that sent it on, in order. */
  redirects: string[];
}

const CONNECT_MS = 10_000;
const HEADER_BYTES_MAX = 32 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that belong to the host that they were meant for. */
const OWN = new Set(['if-none-match', 'if-modified-since', 'idempotency-key']);

/** One exchange, with redirects followed by hand: each address is checked as the first one was. @throws ToolError */
export async function exchange(sent: Sent, rules: AddressRules, signal: AbortSignal): Promise<Received> {
  const redirects: string[] = [];
  let url = rules.check(sent.url);
  let headers = sent.headers;
  for (;;) {
    const received = await once({ ...sent, headers }, url, rules, signal);
    const location = received.headers.location;
    if (!REDIRECTS.has(received.status) || location === undefined || sent.redirects_max === 0) return { ...received, redirects };
    if (redirects.length >= sent.redirects_max)
      throw new ToolError('PROVIDER_ERROR', `it was redirected more than ${sent.redirects_max} times`, {
        effect: 'none',
        retryable: false,
      });
    redirects.push(url.href);
    const next = rules.check(resolved(location, url).href);
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new ToolError('POLICY_DENIED', 'a redirect from https to http is not followed', { effect: 'none' });
    if (next.origin !== url.origin) headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name)));
    url = next;
  }
}

function resolved(location: string, from: URL): URL {
  if (URL.canParse(location, from.href)) return new URL(location, from);
  throw new ToolError('PROVIDER_ERROR', 'it was redirected to what is no address', { effect: 'none', retryable: false });
}

async function once(sent: Sent, url: URL, rules: AddressRules, signal: AbortSignal): Promise<Omit<Received, 'redirects'>> {
  // Loaded by the first request: 111 modules that most processes never need.
  const { Agent, request } = await import('undici');
  const agent = new Agent({
    connections: 1,
    pipelining: 0,
    maxHeaderSize: HEADER_BYTES_MAX,
    connect: { lookup: rules.lookupFor(url), timeout: CONNECT_MS },
  });
  try {
    const { method, headers, body } = sent;
    const answer = await request(url, { method, headers, body: body ?? null, dispatcher: agent, signal });
    const { bytes, cut } = await read(answer.body, sent.bytes_max);
    return { url: url.href, status: answer.statusCode, headers: flat(answer.headers), bytes, cut };
  } catch (cause) {
    throw faultOf(cause, signal);
  } finally {
    // What is left of a cut answer goes with its connection.
    void agent.destroy().catch(() => undefined);
  }
}

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

/** Faults of a connection that was never made: nothing was sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const FOR_GOOD = /^(ENOTFOUND|CERT_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS)/;

function faultOf(cause: unknown, signal: AbortSignal): ToolError {
  const { code, message } = cause as { code?: string; message?: string };
  if (signal.aborted) return new ToolError('TIMEOUT', 'the answer did not come in time', { retryable: false });
  if (code === 'ERR_ADDRESS_REFUSED')
    return new ToolError('POLICY_DENIED', message ?? 'the address is refused', { effect: 'none', details: { reason: 'address' } });
  const unsent = code !== undefined && UNSENT.has(code);
  const more = {
    ...(unsent ? { effect: 'none' as const } : {}),
    retryable: !(code && FOR_GOOD.test(code)),
    details: { code: code ?? null },
  };
  return new ToolError('NETWORK_ERROR', `the server could not be asked: ${message ?? 'unknown cause'}`, more);
}
