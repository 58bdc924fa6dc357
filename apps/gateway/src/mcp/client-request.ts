import { type ProgressToken, SdkError, SdkErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { type Exchange, exchangeIn } from './exchange.js';
import type { Notify } from './progress-reports.js';
import { declaresTasks } from './task-extension.js';

/** One request of a client, as long as it waits for the answer. */
export interface ClientRequest extends Exchange {
  /** Aborted when the client gives the request up; see `givenUpBy`. */
  signal: AbortSignal;
  /** Absent: the client wants no progress. */
  progress: { token: ProgressToken; notify: Notify } | undefined;
  /** The client understands a task as the answer to a call. */
  takes_tasks: boolean;
}

export function clientRequest(context: ServerContext): ClientRequest {
  const { signal, notify, _meta } = context.mcpReq;
  const token = _meta?.progressToken;
  const progress = token === undefined ? undefined : { token, notify };
  return { ...exchangeIn(context), signal, progress, takes_tasks: declaresTasks(context) };
}

/** The same request, whose progress goes elsewhere. */
export const reportingTo = (request: ClientRequest, reported: (message: string) => void): ClientRequest => ({
  ...request,
  progress: { token: 0, notify: async ({ params }) => reported(String(params?.message ?? '')) },
});

/** How a client gave up: it said so, or its stream or its session was closed, which may be an accident. */
export type GivenUp = 'cancelled' | 'stream_closed';

export const givenUpBy = ({ reason }: AbortSignal): GivenUp =>
  reason instanceof DOMException || (reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed)
    ? 'stream_closed'
    : 'cancelled';
