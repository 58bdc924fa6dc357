import type { CallError, ErrorClass, ErrorCode } from './generated/events.js';

const defaults: Readonly<Record<ErrorCode, { class: ErrorClass; retryable: boolean }>> = {
  VALIDATION_ERROR: { class: 'validation', retryable: false },
  TIMEOUT: { class: 'transient', retryable: true },
  RATE_LIMIT: { class: 'rate_limited', retryable: true },
  POLICY_DENIED: { class: 'authorization', retryable: false },
  AUTH_REQUIRED: { class: 'authorization', retryable: false },
  PROVIDER_ERROR: { class: 'server', retryable: false },
  NETWORK_ERROR: { class: 'transient', retryable: true },
  SANDBOX_ERROR: { class: 'server', retryable: false },
  IN_DOUBT: { class: 'server', retryable: false },
  CANCELLED: { class: 'semantic', retryable: false },
  UNKNOWN: { class: 'server', retryable: false },
};

/** The closed list of error codes. */
export const errorCodes: readonly ErrorCode[] = Object.keys(defaults) as ErrorCode[];

/** A call error with the default class and retryability of its code. `details` must be JSON. */
export function callError(
  code: ErrorCode,
  message: string,
  more: { class?: ErrorClass; retryable?: boolean; details?: unknown; retry_after_s?: number } = {},
): CallError {
  return {
    code,
    class: more.class ?? defaults[code].class,
    message,
    details_json: more.details === undefined ? null : JSON.stringify(more.details),
    retryable: more.retryable ?? defaults[code].retryable,
    retry_after_s: more.retry_after_s ?? null,
  };
}

/**
 * A fault of the infrastructure (store, log, cache, full disk), not of the current record: the partition pauses and the work is retried
 * forever. Recognized across packages by its brand, never by `instanceof`.
 */
export class InfrastructureFault extends Error {
  readonly countersign_fault = 'infrastructure' as const;
}

export function isInfrastructureFault(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { countersign_fault?: unknown }).countersign_fault === 'infrastructure';
}
