import { ToolError } from '@countersign/tool-kit';
import { errorOf } from '../thrown-error.js';
import type { ReportedError } from './protocol.js';

/** Serializes a thrown value for the other process. Never throws. */
export function reportedError(thrown: unknown): ReportedError {
  return errorOf(thrown);
}

/** Rebuilds the error that the other process threw. */
export function thrownHere({ error, refused, effect }: ReportedError): Error {
  if (!refused) return new Error(error.message);
  const { code, message, class: its_class, retryable, details_json, retry_after_s } = error;
  return new ToolError(code, message, {
    class: its_class,
    retryable,
    effect,
    ...(details_json === null ? {} : { details: JSON.parse(details_json) as unknown }),
    ...(retry_after_s === null ? {} : { retry_after_s }),
  });
}
