import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '@countersign/calls';
import { type Problem, problemDocument, problemHeaders, problemStatus } from '../http/problem.js';
import { type IncomingRequest, type OutgoingReply, sendProblem } from '../http/reply.js';
import { newRequestId, REQUEST_ID_HEADER } from '../http/request-id.js';

function unrouted(code: string | undefined): Problem {
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new Refusal('uri-too-long', 'a segment of the path is longer than 300 characters');
  if (code === 'FST_ERR_BAD_URL') return new Refusal('invalid-request', 'the path is not a valid URL: check its % escapes');
  return new Refusal('internal', 'the request could not be routed');
}

/**
 * Refuses a request that the router cannot match: its path is malformed, or an id in it is too long. `reply` has Fastify's type for every
 * route.
 */
export function refuseUnrouted(error: { code?: string }, request: Pick<IncomingRequest, 'url' | 'raw'>, reply: unknown): void {
  sendProblem(request, reply as OutgoingReply, unrouted(error.code));
}

export const HEADERS_TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

function unreadable(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers-too-large', 'the headers together may have at most 16 KB');
  if (code === HEADERS_TOO_SLOW) return new Refusal('request-timeout', 'the request did not arrive completely in time');
  return new Refusal('invalid-request', 'the request is not valid HTTP/1.1');
}

/** Refuses a malformed request: responds on its socket and closes it. */
export function refuseUnread(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = unreadable(error.code);
  const status = problemStatus(problem);
  const request_id = newRequestId();
  const body = JSON.stringify(problemDocument(problem, '/', request_id));
  const headers = {
    ...problemHeaders(problem),
    [REQUEST_ID_HEADER]: request_id,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}
