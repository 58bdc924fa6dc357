import type { Problem as GatewayProblem } from '@countersign/client/wire';

/** A problem document (RFC 9457), or what the console says in its place: no connection, or an answer of something else. */
export type Problem = GatewayProblem & { request_id?: string };

/** The outcome of a request: refusals are values, too. */
export type Answer<T> = { ok: true; data: T } | { ok: false; problem: Problem };

/** What the typed client returns. */
export type Sent<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** No answer arrived: it is unknown whether the request did. */
export const UNREACHABLE: Problem = {
  type: 'urn:countersign:console:unreachable',
  title: 'No connection',
  status: 0,
  code: 'NETWORK_ERROR',
  detail: 'The gateway did not answer. Nothing on this page is lost; it tries again by itself.',
};

/** Thrown by the sender in the place of the browser's own error. */
export class UnreachableError extends Error {}

/** Rejections of the query cache carry their problem. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title);
  }
}

/** The outcome of a request of the typed client. */
export async function answerOf<T>(sent: Sent<T>): Promise<Answer<T>> {
  try {
    const { data, error, response } = await sent;
    if (response.ok) return { ok: true, data: data as T };
    return { ok: false, problem: problemOf(response, error) };
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    return { ok: false, problem: cause instanceof UnreachableError ? UNREACHABLE : unreadable(cause) };
  }
}

/** The problem document of a response; of a proxy's page only its status. */
export function problemOf(response: Pick<Response, 'status' | 'statusText' | 'headers'>, body: unknown): Problem {
  const { status } = response;
  const request_id = response.headers.get('countersign-request-id') ?? undefined;
  const blank = { type: 'about:blank', title: response.statusText || `HTTP ${status}`, code: 'UNKNOWN' as const, request_id };
  const fields = typeof body === 'object' && body !== null ? (body as Partial<Problem>) : {};
  return { ...blank, ...fields, status };
}

const unreadable = (cause: unknown): Problem => ({
  type: 'about:blank',
  title: 'The answer could not be read',
  status: 0,
  code: 'UNKNOWN',
  detail: `The answer is not what the API describes (${cause instanceof Error ? cause.message : 'unknown cause'}). Reload the page: the console may be older than the gateway.`,
});
