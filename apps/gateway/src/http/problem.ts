import { type Meaning, meaningOf, Refusal, type RefusalKind, reasonOf } from '@countersign/calls';

const invalid: Meaning = { code: 'VALIDATION_ERROR', class: 'validation' };
const limited = (retry_after_s: number): Meaning => ({ code: 'RATE_LIMIT', class: 'rate_limited', retry_after_s });

/** Refusals that only HTTP has. */
const transport = {
  'malformed-body': invalid,
  'method-not-allowed': invalid,
  'request-timeout': { code: 'VALIDATION_ERROR', class: 'transient', retry_after_s: 1 },
  'uri-too-long': invalid,
  'headers-too-large': invalid,
  'body-too-large': invalid,
  'unsupported-media-type': invalid,
  'too-many-bytes': limited(1),
  overloaded: limited(2),
  'too-many-streams': limited(5),
  'too-many-sign-ins': limited(60),
} as const satisfies Record<string, Meaning>;

/** The name of a kind is the last part of the problem's `type`. */
export type ProblemKind = RefusalKind | keyof typeof transport;

interface Shown {
  status: number;
  title: string;
}

const shown: Readonly<Record<ProblemKind, Shown>> = {
  'malformed-body': { status: 400, title: 'The body is not valid JSON' },
  'invalid-request': { status: 400, title: 'Invalid request' },
  unauthenticated: { status: 401, title: 'Authentication required' },
  forbidden: { status: 403, title: 'Forbidden' },
  'not-found': { status: 404, title: 'Not found' },
  'unknown-tool': { status: 404, title: 'Unknown tool' },
  'unknown-version': { status: 404, title: 'Unknown version of the tool' },
  'unknown-case': { status: 404, title: 'Unknown case' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict with the current state' },
  'external-id-taken': { status: 409, title: 'The external_id is taken' },
  'late-vote': { status: 409, title: 'The approval is closed' },
  'record-damaged': { status: 409, title: 'The record does not match its signature' },
  'vote-refused': { status: 409, title: 'The vote was refused' },
  'not-promoted': { status: 409, title: 'The version has no passed evaluation' },
  erased: { status: 410, title: 'Erased' },
  'precondition-failed': { status: 412, title: 'The resource has changed' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'uri-too-long': { status: 414, title: 'The path is too long' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'invalid-inputs': { status: 422, title: 'The inputs do not match the schema of the tool' },
  'invalid-mapping': { status: 422, title: 'Invalid mapping' },
  'deadline-passed': { status: 422, title: 'The deadline has passed' },
  'refused-callback': { status: 422, title: 'The callback URL is not allowed' },
  'invalid-limit': { status: 422, title: 'Invalid limit' },
  'key-reused': { status: 422, title: 'The idempotency key was used with other inputs' },
  'impossible-order': { status: 422, title: 'The dependencies of the batch form a cycle' },
  'unusable-policy': { status: 422, title: 'Invalid policy' },
  'invalid-saga-definition': { status: 422, title: 'Invalid saga definition' },
  'unknown-change': { status: 422, title: 'Unknown change' },
  'too-much': { status: 422, title: 'The query is too large' },
  'simulation-required': { status: 409, title: 'The policy must be simulated first' },
  'not-undoable': { status: 422, title: 'The effect cannot be undone' },
  'being-undone': { status: 409, title: 'The effect is being undone' },
  'dependency-pending': { status: 424, title: 'A dependency of the call has not ended' },
  'dependency-failed': { status: 424, title: 'A dependency of the call did not succeed' },
  'too-many-in-flight': { status: 429, title: 'Too many calls in flight' },
  'too-many-sagas': { status: 429, title: 'Too many sagas are open' },
  'too-many-bytes': { status: 429, title: 'Too many bytes of request bodies in flight' },
  overloaded: { status: 503, title: 'The gateway is overloaded' },
  'too-many-streams': { status: 429, title: 'Too many event streams are open' },
  'too-many-sign-ins': { status: 429, title: 'Too many attempts to sign in' },
  unavailable: { status: 503, title: 'A dependency is unavailable' },
  'no-ruling-yet': { status: 503, title: 'Recorded, but not decided yet' },
  internal: { status: 500, title: 'Internal error' },
};

export const problemKinds: readonly ProblemKind[] = Object.keys(shown) as ProblemKind[];

/** A refusal in HTTP form: a problem document (RFC 9457). */
export type Problem = Refusal<ProblemKind>;

/** A refusal with additional response headers. */
export class ProblemWithHeaders extends Refusal<ProblemKind> {
  constructor(
    kind: ProblemKind,
    detail: string,
    more: Problem['more'],
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super(kind, detail, more);
  }
}

const meaningOfProblem = (kind: ProblemKind): Meaning =>
  kind in transport ? transport[kind as keyof typeof transport] : meaningOf(kind as RefusalKind);

export const problemStatus = ({ kind }: Problem): number => shown[kind].status;

const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

/** The problem document; `instance` is the path of the request. A problem of one item has no `request_id`: the response header has it. */
export function problemDocument(problem: Problem, instance: string, request_id?: string): Record<string, unknown> {
  const { status, title } = shown[problem.kind];
  const { code, class: errorClass, retry_after_s } = meaningOfProblem(problem.kind);
  const { layer, issues, reason, ...rest } = problem.more;
  return {
    type: `urn:countersign:problem:${problem.kind}`,
    title,
    status,
    detail: problem.detail,
    instance,
    ...(request_id === undefined ? {} : { request_id }),
    code,
    reason: reason ?? reasonOf(problem.kind),
    class: errorClass,
    retryable: errorClass === 'transient' || errorClass === 'rate_limited',
    ...(retry_after_s === undefined ? {} : { retry_after_s }),
    ...(issues === undefined ? {} : { validation: { layer: layer ?? 'request', issues } }),
    ...rest,
  };
}

/** Response headers, with `retry-after` if a retry can succeed. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const { retry_after_s } = meaningOfProblem(problem.kind);
  return {
    'content-type': PROBLEM_CONTENT_TYPE,
    ...(retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }),
    ...ownHeaders(problem),
  };
}

const CHALLENGE = 'Bearer realm="countersign"';

function ownHeaders(problem: Problem): Readonly<Record<string, string>> {
  if (problem instanceof ProblemWithHeaders) return problem.headers;
  switch (problem.kind) {
    case 'unauthenticated':
      return { 'www-authenticate': problem.is_token_invalid ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE };
    case 'precondition-failed':
      return typeof problem.more.etag === 'string' ? { etag: problem.more.etag } : {};
    case 'no-ruling-yet':
      return { location: `/v1/calls/${problem.more.call_id}` };
    default:
      return {};
  }
}
