import type { ErrorClass, ErrorCode } from '@countersign/contracts';

/** Body of `POST /v1/calls`, as far as agents need it; the whole is in /openapi.json. */
export interface CallRequest {
  tool: string;
  /** Exact or a range such as ^2.0.0; absent: the newest active version. */
  version?: string;
  inputs: Record<string, unknown>;
  case_id?: string;
  /** Asks for a wanted repeat of the same effect. */
  occurrence?: string;
  context?: Record<string, unknown>;
  /** RFC 3339; nothing fires after it. */
  deadline?: string;
  callback_url?: string;
}

/** The answer to a call, as far as agents need it; the whole is in /openapi.json. */
export interface CallEnvelope {
  call_id: string;
  idempotency_key: string;
  name: string;
  version: string;
  status: string;
  /** What the tenant's mapping made of the inputs, and what ran; absent without a mapping. */
  mapped_input?: unknown;
  mapping?: { version: number; inputs_digest: string; changes: { op: string; path: string; value?: unknown }[]; warnings: string[] };
  output: unknown;
  error: { code: ErrorCode; class: ErrorClass; message: string; details?: unknown; retryable: boolean; retry_after_s?: number } | null;
  approval: { approval_id: string; status: string } | null;
  deduplicated: boolean;
}

/** RFC 9457 problem document. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  code: ErrorCode;
  retry_after_s?: number;
}
