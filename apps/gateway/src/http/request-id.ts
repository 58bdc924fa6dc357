import type { IncomingMessage } from 'node:http';
import { uuidv7 } from '@countersign/contracts';

/** Header of every response. */
export const REQUEST_ID_HEADER = 'Countersign-Request-Id';

/** Attribute of the request's span. */
export const REQUEST_ID_ATTRIBUTE = 'countersign.request_id';

/** Headers for a request id of the caller; the first one present counts. */
const ACCEPTED = ['countersign-request-id', 'x-request-id'] as const;

/** Safe in a header, a log line and a URL. Does not match an API key, so that a key sent by mistake does not reach the logs. */
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

/** An id for a request that could not be parsed. */
export const newRequestId = (): string => uuidv7(Date.now());

/** The id of a request: the caller's if it is well-formed, otherwise a new UUIDv7. Returns the same id each time. */
export function requestIdOf(request: Identified): string {
  request[ID] ??= sentId(request.headers) ?? newRequestId();
  return request[ID];
}
