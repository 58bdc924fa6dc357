import type { ErrorClass, ErrorCode } from '@countersign/contracts';

/**
 * An expected refusal by the tool: the call ends as failed with this code. `effect: 'none'` promises that nothing outside changed and
 * releases the idempotency key; omit it if that is not certain. It is about its own attempt: after an earlier attempt whose answer was
 * lost, the call is reconciled or in doubt.
 */
export class ToolError extends Error {
  readonly countersign_tool_error = true as const;
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly more: { class?: ErrorClass; retryable?: boolean; details?: unknown; retry_after_s?: number; effect?: 'none' | 'unknown' } = {},
  ) {
    super(message);
  }
}

/** Recognizes the brand, so that it works across copies of this package. */
export function isToolError(error: unknown): error is ToolError {
  return typeof error === 'object' && error !== null && (error as { countersign_tool_error?: unknown }).countersign_tool_error === true;
}
