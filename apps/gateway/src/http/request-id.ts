import type { IncomingMessage } from 'node:http';
import { uuidv7 } from '@countersign/contracts';

/** Of every answer. */
export const REQUEST_ID_HEADER = 'Countersign-Request-Id';

/** Of the span of a request. */
export const REQUEST_ID_ATTRIBUTE = 'countersign.request_id';

/** Headers for a request id of the caller; the first one present counts. */
const ACCEPTED = ['countersign-request-id', 'x-request-id'] as const;

/** Safe in a header, a log line and a URL. An API key that is sent by mistake does not fit: it must not get into logs. */
const WELL_FORMED = /^(?!csk_)[A-Za-z0-9][A-Za-z0-9._-]{7,127}$/;

const ID = Symbol('request id');

type Identified = Pick<IncomingMessage, 'headers'> & { [ID]?: string };

function sentId(headers: IncomingMessage['headers']): string | undefined {
  for (const name of ACCEPTED) {
    const sent = headers[name];
    if (sent !== undefined) return typeof sent === 'string' && WELL_FORMED.test(sent) ? sent : undefined;
  }
  return undefined;
}

/** An id for a request that could not be read. */
export const newRequestId = (): string => uuidv7(Date.now());

/** The id of a request: the one that its caller sent where it is well-formed, else a new UUIDv7; the same each time. */
export function requestIdOf(request: Identified): string {
  request[ID] ??= sentId(request.headers) ?? newRequestId();
  return request[ID];
}
