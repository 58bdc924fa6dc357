import { failed, type OpenAnswer, type OutboundDoor, type OutboundFault } from '@countersign/outbound';
import type { FetchLike } from '@modelcontextprotocol/client';
import { type Exchange, exchanges } from './exchange.js';
import { TokenBucket } from './token-bucket.js';

/** Most bytes of one event on a stream that stays open, and what all its events may take in a while. */
const EVENT_BYTES_MAX = 1024 * 1024;
const STREAM_BURST_BYTES = 4 * 1024 * 1024;
const STREAM_BYTES_PER_S = 64 * 1024;
const REFUSAL_CHARS_MAX = 2000;
const NO_BODY = new Set([204, 205, 304]);

/** A request did not reach its server or failed on its way. */
export class DoorFault extends Error {
  constructor(readonly fault: OutboundFault) {
    super(fault.message);
  }
}

/** Takes bytes as they arrive. Returns why no more are taken, or undefined. */
type Guard = (bytes: Buffer) => OutboundFault | undefined;

const tooMuch = (message: string): OutboundFault => failed('too_large', message, { unsent: false });

/** Bounds the response of one request. */
function wholeGuard(bytes_max: number): Guard {
  let left = bytes_max;
  return (bytes) => {
    left -= bytes.length;
    return left < 0 ? tooMuch(`the server answered more than ${bytes_max} bytes`) : undefined;
  };
}

/** Bounds a stream of events without an end. */
function streamGuard(): Guard {
  const rate = new TokenBucket(STREAM_BURST_BYTES, STREAM_BYTES_PER_S);
  let event_bytes = 0;
  return (bytes) => {
    const end = Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'));
    event_bytes = end === -1 ? event_bytes + bytes.length : bytes.length - end;
    if (event_bytes > EVENT_BYTES_MAX) return tooMuch(`the server sent an event of more than ${EVENT_BYTES_MAX} bytes`);
    return rate.take(bytes.length) ? undefined : tooMuch('the server floods its stream of events');
  };
}

function guarded(opened: OpenAnswer, guard: Guard, exchange: Exchange | undefined): ReadableStream<Uint8Array> {
  const parts = opened.body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(stream) {
      const { value, done } = await parts.next();
      if (done) return stream.close();
      const fault = guard(value);
      if (!fault) return stream.enqueue(value);
      opened.close();
      exchange?.fail(fault);
      throw new DoorFault(fault);
    },
    cancel: () => opened.close(),
  });
}

async function beginningOf(response: Response): Promise<string> {
  return (await response.text().catch(() => '')).slice(0, REFUSAL_CHARS_MAX);
}

/**
 * The `fetch` of the protocol's library, through the outbound door: no redirect is followed, every response is bounded before it is
 * parsed, and only headers of the protocol and the credential are sent: that of the exchange, or `bearer` for a stream of the session.
 */
export function doorFetch(door: OutboundDoor, bearer: string | undefined): FetchLike {
  return async (url, init) => {
    const exchange = exchanges.getStore();
    const method = (init?.method ?? 'GET') as 'GET' | 'POST' | 'DELETE';
    const token = exchange?.terms.bearer ?? bearer;
    const headers = Object.fromEntries(new Headers(init?.headers));
    const sent = {
      ...headers,
      'accept-encoding': 'identity',
      'user-agent': 'countersign',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const is_first = exchange !== undefined && method === 'POST' && !exchange.is_handed_over;
    if (is_first) exchange.is_handed_over = true;
    const body = typeof init?.body === 'string' ? init.body : undefined;
    const signal = AbortSignal.any([init?.signal, exchange?.signal].filter((one): one is AbortSignal => one instanceof AbortSignal));
    const opened = await door.open({ method, url: String(url), headers: sent, body, signal });
    if (opened.kind === 'failed') {
      if (is_first) exchange.fault ??= opened;
      throw new DoorFault(opened);
    }
    const guard = method === 'GET' ? streamGuard() : wholeGuard(exchange?.terms.bytes_max ?? EVENT_BYTES_MAX);
    const stream = NO_BODY.has(opened.status) ? null : guarded(opened, guard, is_first ? exchange : undefined);
    const response = new Response(stream, { status: opened.status, headers: opened.headers });
    if (is_first && opened.status >= 300) exchange.refusal = { ...opened, text: await beginningOf(response.clone()) };
    return response;
  };
}
