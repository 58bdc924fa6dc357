import type { ErrorClass, ErrorCode } from '@countersign/contracts';
import type { RefusalReason } from './refusal-reasons.js';

/** What a kind of refusal means to a program. */
export interface Meaning {
  code: ErrorCode;
  class: ErrorClass;
  /** When the same request may be sent again, seconds. Absent: sending it again changes nothing. */
  retry_after_s?: number;
}

const invalid: Meaning = { code: 'VALIDATION_ERROR', class: 'validation' };
const notFound: Meaning = { code: 'VALIDATION_ERROR', class: 'not_found' };
const conflict: Meaning = { code: 'VALIDATION_ERROR', class: 'semantic' };
const unauthorized: Meaning = { code: 'AUTH_REQUIRED', class: 'authorization' };

/** Every way in which the platform refuses a request, whatever the request came by, with the code and class of the closed lists. */
const kinds = {
  'invalid-request': invalid,
  unauthenticated: unauthorized,
  forbidden: unauthorized,
  'not-found': notFound,
  'unknown-tool': notFound,
  'unknown-version': notFound,
  'unknown-case': notFound,
  conflict,
  'external-id-taken': conflict,
  'late-vote': conflict,
  'record-damaged': conflict,
  'vote-refused': conflict,
  'not-promoted': conflict,
  erased: notFound,
  'precondition-failed': conflict,
  'invalid-inputs': invalid,
  'invalid-mapping': invalid,
  'deadline-passed': invalid,
  'refused-callback': invalid,
  'invalid-limit': invalid,
  'key-reused': invalid,
  'impossible-order': invalid,
  'unusable-policy': invalid,
  'invalid-saga-definition': invalid,
  'unknown-change': invalid,
  'too-much': invalid,
  'simulation-required': conflict,
  'not-undoable': conflict,
  'being-undone': { code: 'CANCELLED', class: 'transient', retry_after_s: 1 },
  'dependency-pending': { code: 'CANCELLED', class: 'transient', retry_after_s: 1 },
  'dependency-failed': { code: 'CANCELLED', class: 'semantic' },
  'too-many-in-flight': { code: 'RATE_LIMIT', class: 'rate_limited', retry_after_s: 1 },
  unavailable: { code: 'NETWORK_ERROR', class: 'transient', retry_after_s: 2 },
  'no-ruling-yet': { code: 'TIMEOUT', class: 'transient', retry_after_s: 5 },
  internal: { code: 'UNKNOWN', class: 'server' },
} as const satisfies Record<string, Meaning>;

export type RefusalKind = keyof typeof kinds;

/** The code, class and retry of a kind. */
export const meaningOf = (kind: RefusalKind): Meaning => kinds[kind];

/** Something that its caller may not: by its role, by anything else, or because it belongs to another tenant. */
export type AccessRefusal = 'role_refused' | 'request_refused' | 'cross_tenant';

/** One fault of a request: where (JSON Pointer) and what. */
export interface Issue {
  path: string;
  code: string;
  message: string;
}

/** Facts of a refusal beside its detail: every face shows them. */
export interface RefusalFacts {
  /** The precise cause, where the kind alone is vague. */
  readonly reason?: RefusalReason;
  readonly issues?: readonly Issue[];
  readonly layer?: string;
  readonly [member: string]: unknown;
}

/** Facts that the refusal does not show to the caller. */
interface InternalFacts {
  /** Only for the record of refused requests. */
  access?: AccessRefusal | undefined;
  /** A token was sent and is not good. */
  invalid_token?: boolean;
}

/** A refused request as a value. Carries nothing of its cause. Each way in shows it in its own form; HTTP as RFC 9457. */
export class Refusal<Kind extends string = RefusalKind> {
  constructor(
    readonly kind: Kind,
    readonly detail: string,
    readonly more: RefusalFacts = {},
    private readonly withheld: InternalFacts = {},
  ) {}

  /** The kind of refused access; undefined where access was not the cause. */
  get access(): AccessRefusal | undefined {
    return this.withheld.access ?? (this.kind === 'forbidden' ? 'request_refused' : undefined);
  }

  get is_token_invalid(): boolean {
    return this.withheld.invalid_token ?? false;
  }
}

/** One JSON Pointer (RFC 6901) of path parts. */
export function pointer(parts: readonly PropertyKey[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
