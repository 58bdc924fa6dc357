import type { ErrorClass, ErrorCode } from '@countersign/contracts';

interface Kind {
  status: number;
  title: string;
  code: ErrorCode;
  class: ErrorClass;
  retry_after_s?: number;
}

const validation = (status: number, title: string): Kind => ({ status, title, code: 'VALIDATION_ERROR', class: 'validation' });
const notFound = (title: string): Kind => ({ status: 404, title, code: 'VALIDATION_ERROR', class: 'not_found' });
const conflict = (title: string): Kind => ({ status: 409, title, code: 'VALIDATION_ERROR', class: 'semantic' });

/** Every way in which a request can be refused; the name is the last part of the problem's `type`. */
const kinds = {
  'malformed-body': validation(400, 'The body is not valid JSON'),
  'invalid-request': validation(400, 'The request is not valid'),
  unauthenticated: { status: 401, title: 'A valid token is needed', code: 'AUTH_REQUIRED', class: 'authorization' },
  forbidden: { status: 403, title: 'This token may not do that', code: 'AUTH_REQUIRED', class: 'authorization' },
  'not-found': notFound('There is no such thing'),
  'unknown-tool': notFound('There is no such tool'),
  'unknown-version': notFound('There is no such version of the tool'),
  'method-not-allowed': validation(405, 'The path does not take this method'),
  conflict: conflict('The state of the thing does not allow that'),
  'late-vote': conflict('The approval is no longer open'),
  'record-damaged': conflict('The record is not what was signed'),
  'vote-refused': conflict('The vote does not count'),
  'not-promoted': conflict('The version has not proven that it may run'),
  erased: { ...notFound('It was erased'), status: 410 },
  'precondition-failed': { ...conflict('It was changed meanwhile'), status: 412 },
  'request-timeout': { ...validation(408, 'The request took too long to come'), class: 'transient', retry_after_s: 1 },
  'uri-too-long': validation(414, 'The path is too long'),
  'headers-too-large': validation(431, 'The headers are too large'),
  'body-too-large': validation(413, 'The body is too large'),
  'unsupported-media-type': validation(415, 'The body must be application/json, uncompressed and in UTF-8'),
  'invalid-inputs': validation(422, "The inputs do not fit the tool's schema"),
  'invalid-mapping': validation(422, 'The mapping cannot be used'),
  'deadline-passed': validation(422, 'The deadline is in the past'),
  'refused-callback': validation(422, 'The callback URL is not allowed'),
  'invalid-limit': validation(422, 'The limit cannot be used'),
  'key-reused': validation(422, 'The idempotency key was used with other inputs'),
  'impossible-order': validation(422, 'The calls of the batch cannot be put in an order'),
  'unusable-policy': validation(422, 'The policy cannot be used'),
  'unknown-change': validation(422, 'A change names something that is not there'),
  'too-much': validation(422, 'The question is about too much'),
  'simulation-required': conflict('The policy must be simulated first'),
  'dependency-pending': {
    status: 424,
    title: 'A call that this one depends on has not ended yet',
    code: 'CANCELLED',
    class: 'transient',
    retry_after_s: 1,
  },
  'dependency-failed': { status: 424, title: 'A call that this one depends on did not succeed', code: 'CANCELLED', class: 'semantic' },
  'too-many-in-flight': { status: 429, title: 'Too many calls in flight', code: 'RATE_LIMIT', class: 'rate_limited', retry_after_s: 1 },
  'too-many-bytes': {
    status: 429,
    title: 'Too many bytes of bodies are in flight',
    code: 'RATE_LIMIT',
    class: 'rate_limited',
    retry_after_s: 1,
  },
  overloaded: {
    status: 503,
    title: 'The gateway has no room for another body',
    code: 'RATE_LIMIT',
    class: 'rate_limited',
    retry_after_s: 2,
  },
  'too-many-streams': {
    status: 429,
    title: 'Too many event streams are open',
    code: 'RATE_LIMIT',
    class: 'rate_limited',
    retry_after_s: 5,
  },
  unavailable: { status: 503, title: 'A part of the platform is away', code: 'NETWORK_ERROR', class: 'transient', retry_after_s: 2 },
  'no-ruling-yet': { status: 503, title: 'Recorded, but not decided yet', code: 'TIMEOUT', class: 'transient', retry_after_s: 5 },
  internal: { status: 500, title: 'A fault of the platform', code: 'UNKNOWN', class: 'server' },
} as const satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof kinds;

/** Something that its caller may not: by its role, by anything else, or because it belongs to another tenant. */
export type Refusal = 'role_refused' | 'request_refused' | 'cross_tenant';

/** One fault of a body: where (JSON Pointer) and what. */
export interface Issue {
  path: string;
  code: string;
  message: string;
}

const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

/** A refused request as a value: RFC 9457, with the `code` and `class` of our closed lists. Carries nothing of its cause. */
export class Problem {
  constructor(
    readonly kind: ProblemKind,
    readonly detail: string,
    readonly more: { readonly issues?: readonly Issue[]; readonly layer?: string; readonly [member: string]: unknown } = {},
    readonly headers: Readonly<Record<string, string>> = {},
    /** Said to nobody: only for the record. */
    private readonly refused?: Refusal,
  ) {}

  get status(): number {
    return kinds[this.kind].status;
  }

  /** Which refusal of its caller this is; undefined where it is none. */
  get refusal(): Refusal | undefined {
    return this.refused ?? (this.kind === 'forbidden' ? 'request_refused' : undefined);
  }

  /** The document; `instance` is the path that was asked. */
  document(instance: string): Record<string, unknown> {
    const { status, title, code, class: errorClass, retry_after_s } = kinds[this.kind] as Kind;
    const { layer, issues, ...rest } = this.more;
    return {
      type: `urn:countersign:problem:${this.kind}`,
      title,
      status,
      detail: this.detail,
      instance,
      code,
      class: errorClass,
      retryable: errorClass === 'transient' || errorClass === 'rate_limited',
      ...(retry_after_s === undefined ? {} : { retry_after_s }),
      ...(issues === undefined ? {} : { validation: { layer: layer ?? 'request', issues } }),
      ...rest,
    };
  }

  /** Response headers, `retry-after` included where trying again makes sense. */
  allHeaders(): Record<string, string> {
    const { retry_after_s } = kinds[this.kind] as Kind;
    return {
      'content-type': PROBLEM_CONTENT_TYPE,
      ...(retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }),
      ...this.headers,
    };
  }
}

/** One JSON Pointer (RFC 6901) of path parts. */
export function pointer(parts: readonly PropertyKey[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export const problemKinds: readonly ProblemKind[] = Object.keys(kinds) as ProblemKind[];
