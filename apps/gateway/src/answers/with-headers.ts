import { Refusal } from '@countersign/calls';
import type { HttpReply } from '../http/reply.js';

/** The body of an answer, and the headers that go with it. */
export interface WithHeaders<T> {
  body: T;
  headers: Readonly<Record<string, string>>;
}

/** Sets the headers of an answer and returns its body; a refusal is returned as it is. */
export function withHeaders<T>(reply: Pick<HttpReply, 'headers'>, answer: WithHeaders<T> | Refusal): T | Refusal {
  if (answer instanceof Refusal) return answer;
  reply.headers(answer.headers);
  return answer.body;
}
