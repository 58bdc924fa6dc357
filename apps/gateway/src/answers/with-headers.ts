import { Refusal } from '@countersign/calls';
import type { HttpReply } from '../http/reply.js';

/** A response body with its headers. */
export interface WithHeaders<T> {
  body: T;
  headers: Readonly<Record<string, string>>;
}

/** Sets the response headers and returns the body; returns a refusal unchanged. */
export function withHeaders<T>(reply: Pick<HttpReply, 'headers'>, answer: WithHeaders<T> | Refusal): T | Refusal {
  if (answer instanceof Refusal) return answer;
  reply.headers(answer.headers);
  return answer.body;
}
