import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problemDocument, problemHeaders, problemStatus } from './problem.js';
import { requestIdOf } from './request-id.js';

export type HttpRequest = FastifyRequest;
export type HttpReply = FastifyReply;

/** The members of a request that the router and the direct path share (see direct-calls.ts). */
export type IncomingRequest = Pick<FastifyRequest, 'headers' | 'url' | 'body' | 'raw'>;

/** The members of a reply that the router and the direct path share; Fastify's type is compatible. */
export interface OutgoingReply {
  readonly sent: boolean;
  readonly raw: ServerResponse;
  code(status: number): OutgoingReply;
  header(name: string, value: string): OutgoingReply;
  headers(all: Readonly<Record<string, string>>): OutgoingReply;
  send(text?: string): unknown;
}

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** The path of the request, without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

export function sendProblem(request: Pick<IncomingRequest, 'url' | 'raw'>, reply: OutgoingReply, problem: Problem): void {
  if (reply.sent) return;
  reply
    .code(problemStatus(problem))
    .headers(problemHeaders(problem))
    .send(JSON.stringify(problemDocument(problem, pathOf(request.url), requestIdOf(request.raw))));
}

/** A header that may occur only once. */
export function headerOf(request: Pick<IncomingRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
