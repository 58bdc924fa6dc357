import { type ProgressToken, SdkError, SdkErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { type Exchange, exchangeIn } from './exchange.js';
import type { Notify } from './progress-reports.js';

/** One request of a client, as long as it waits for the answer. */
export interface ClientRequest extends Exchange {
  /** Aborted when the client gives the request up; see `givenUpBy`. */
  signal: AbortSignal;
  /** Absent: the client wants no progress. */
  progress: { token: ProgressToken; notify: Notify } | undefined;
}

export function clientRequest(context: ServerContext): ClientRequest {
  const { signal, notify, _meta } = context.mcpReq;
  const token = _meta?.progressToken;
  return { ...exchangeIn(context), signal, progress: token === undefined ? undefined : { token, notify } };
}

/** How a client gave up: it said so, or its stream or its session was closed, which may be an accident. */
export type GivenUp = 'cancelled' | 'stream_closed';

export const givenUpBy = ({ reason }: AbortSignal): GivenUp =>
  reason instanceof DOMException || (reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed)
    ? 'stream_closed'
    : 'cancelled';
