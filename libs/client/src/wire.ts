import type { DeduplicatedBecause, EffectNow, ErrorClass, ErrorCode } from '@countersign/contracts';

/** What the agent says about a call. */
export interface CallContext {
  /** Names this request: sent again under the same id it is the same call. It never changes the idempotency key. */
  request_id?: string;
  run_id?: string;
  /** With `run_id`: the number of the call in its run, which names the request instead of `request_id`. */
  seq?: number;
  [field: string]: unknown;
}

/** What one `call` may say beside the request. */
export interface CallOptions {
  /** Sent as `Idempotency-Key`: the key of a write in place of the one derived from its inputs. The client never makes one by itself. */
  idempotency_key?: string;
  /** As `context.request_id`; absent: a new one for each `call`. Keep it over a restart to ask for the same request again. */
  request_id?: string;
  /** Ends the wait: the result is what is known by then. The call itself goes on; `cancel` ends that. */
  signal?: AbortSignal;
}

/** Body of `POST /v1/calls`, as far as agents need it; the whole is in /openapi.json. */
export interface CallRequest {
  tool: string;
  /** Exact or a range such as ^2.0.0; absent: the newest active version. */
  version?: string;
  inputs: Record<string, unknown>;
  /** The id of a case, or `ext:` and its external_id. */
  case_id?: string;
  /** Your own reference of this request; where neither request_id is given, the request is known by it. */
  external_id?: string;
  /** Your own texts about the call. */
  metadata?: Record<string, string>;
  /** Asks for a wanted repeat of the same effect: any new text. */
  occurrence?: string;
  context?: CallContext;
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
  /** What the call waits for; `link` is its path at the gateway. */
  approval: { approval_id: string; status: string; link: string } | null;
  /** The tool did not run for this request; see docs/reference/what-counts-as-the-same-call.md. */
  deduplicated: boolean;
  deduplicated_because: DeduplicatedBecause | null;
  /** The call whose result this is. */
  original_call_id: string | null;
  /** Whether the effect still stands, where that was looked up; null in a first answer, for reads and where nothing happened. */
  effect_now: EffectNow | null;
  /** The call whose effect ended it, where one is known. */
  superseded_by: string | null;
  warnings: string[];
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
