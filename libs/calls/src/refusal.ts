import { type ErrorClass, type ErrorCode, memberPointer } from '@countersign/contracts';
import type { RefusalReason } from './refusal-reasons.js';

/** The meaning of a kind of refusal for programs. */
export interface Meaning {
  code: ErrorCode;
  class: ErrorClass;
  /** When the same request may be sent again, seconds. Absent: a retry gives the same result. */
  retry_after_s?: number;
}

const invalid: Meaning = { code: 'VALIDATION_ERROR', class: 'validation' };
const notFound: Meaning = { code: 'VALIDATION_ERROR', class: 'not_found' };
const conflict: Meaning = { code: 'VALIDATION_ERROR', class: 'semantic' };
const unauthorized: Meaning = { code: 'AUTH_REQUIRED', class: 'authorization' };

/** Every kind of refusal, for all transports, with its code and class from the closed lists. */
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
  'too-many-sagas': { code: 'RATE_LIMIT', class: 'rate_limited', retry_after_s: 30 },
  'too-many-in-flight': { code: 'RATE_LIMIT', class: 'rate_limited', retry_after_s: 1 },
  unavailable: { code: 'NETWORK_ERROR', class: 'transient', retry_after_s: 2 },
  'no-ruling-yet': { code: 'TIMEOUT', class: 'transient', retry_after_s: 5 },
  internal: { code: 'UNKNOWN', class: 'server' },
} as const satisfies Record<string, Meaning>;

export type RefusalKind = keyof typeof kinds;

/** The code, class and retry of a kind. */
export const meaningOf = (kind: RefusalKind): Meaning => kinds[kind];

/** Why access was refused: a missing role, another reason, or the resource belongs to another tenant. */
export type AccessRefusal = 'role_refused' | 'request_refused' | 'cross_tenant';

/** One fault of a request: JSON Pointer, code and message. */
export interface Issue {
  path: string;
  code: string;
  message: string;
}

/** Structured facts of a refusal beside its detail: every transport shows them. */
export interface RefusalFacts {
  /** The precise cause, if the kind alone is ambiguous. */
  readonly reason?: RefusalReason;
  readonly issues?: readonly Issue[];
  readonly layer?: string;
  readonly [member: string]: unknown;
}

/** Facts that are not shown to the caller. */
interface InternalFacts {
  /** Used only in the record of refused requests. */
  access?: AccessRefusal | undefined;
  /** The request has a token that is not valid. */
  invalid_token?: boolean;
}

/** A refused request as a value, without internal causes. Each transport formats it; HTTP uses RFC 9457. */
export class Refusal<Kind extends string = RefusalKind> {
  constructor(
    readonly kind: Kind,
    readonly detail: string,
    readonly more: RefusalFacts = {},
    private readonly withheld: InternalFacts = {},
  ) {}

  /** The kind of refused access; undefined if the refusal is not about access. */
  get access(): AccessRefusal | undefined {
    return this.withheld.access ?? (this.kind === 'forbidden' ? 'request_refused' : undefined);
  }

  get is_token_invalid(): boolean {
    return this.withheld.invalid_token ?? false;
  }
}

/** Builds a JSON Pointer (RFC 6901) from path parts. */
export function pointer(parts: readonly PropertyKey[]): string {
  return parts.reduce<string>(memberPointer, '');
}
