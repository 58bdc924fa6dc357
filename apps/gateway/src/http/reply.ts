import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problemDocument, problemHeaders, problemStatus } from './problem.js';

export type HttpRequest = FastifyRequest;
export type HttpReply = FastifyReply;

/** What of a request every way in has (see direct-calls.ts). */
export type IncomingRequest = Pick<FastifyRequest, 'headers' | 'url' | 'body' | 'raw'>;

/** What of a reply every way in has; Fastify's fits. */
export interface OutgoingReply {
  readonly sent: boolean;
  readonly raw: ServerResponse;
  code(status: number): OutgoingReply;
  header(name: string, value: string): OutgoingReply;
  headers(all: Readonly<Record<string, string>>): OutgoingReply;
  send(text?: string): unknown;
}

/** What a handler answers; `text` is JSON already. */
export interface Answer {
  status: number;
  body?: unknown;
  text?: string;
  /** JSON in pieces, cut between values: a large answer is never handled as a whole. */
  pieces?: readonly string[];
  /** Sent as it is; its content type is among the headers. */
  raw?: Buffer | string;
  /** It is the record (or a proof of it): what is sealed stays sealed. */
  as_recorded?: boolean;
  headers?: Readonly<Record<string, string>>;
}

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

export const ok = (body: unknown, headers?: Readonly<Record<string, string>>): Answer => ({
  status: 200,
  body,
  ...(headers ? { headers } : {}),
});
export const okText = (text: string, headers?: Readonly<Record<string, string>>): Answer => ({
  status: 200,
  text,
  ...(headers ? { headers } : {}),
});

/** Never kept by a cache: what was sealed may stand opened in it. */
export const okPieces = (pieces: readonly string[]): Answer => ({ status: 200, pieces, headers: { 'cache-control': 'no-store' } });

/** The path that was asked, without its query. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

export function sendProblem(request: Pick<IncomingRequest, 'url'>, reply: OutgoingReply, problem: Problem): void {
  if (reply.sent) return;
  reply
    .code(problemStatus(problem))
    .headers(problemHeaders(problem))
    .send(JSON.stringify(problemDocument(problem, pathOf(request.url))));
}

export function sendAnswer(reply: HttpReply, answer: Answer): void {
  if (reply.sent) return;
  if (answer.headers) reply.headers(answer.headers);
  reply.code(answer.status);
  if (answer.raw !== undefined) reply.send(answer.raw);
  else if (answer.pieces) reply.header('content-type', JSON_CONTENT_TYPE).send(Readable.from(answer.pieces, { objectMode: false }));
  else if (answer.text === undefined && answer.body === undefined) reply.send();
  else reply.header('content-type', JSON_CONTENT_TYPE).send(answer.text ?? JSON.stringify(answer.body));
}

/** A header that may be there once. */
export function headerOf(request: Pick<IncomingRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
