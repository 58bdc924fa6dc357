import type { components, operations } from './generated/api.js';

/** Body of `POST /v1/calls`. */
export type CallRequest = operations['calls_submit']['requestBody']['content']['application/json'];

/** What the agent says about a call. */
export type CallContext = NonNullable<CallRequest['context']>;

/** The answer to a call. */
export type CallEnvelope = components['schemas']['Envelope'];

type GatewayProblem = components['schemas']['Problem'];

/** RFC 9457 problem document: of the gateway, or of a proxy before it, which states less. */
export type Problem = { type: string } & Pick<GatewayProblem, 'title' | 'status' | 'code'> &
  Partial<Pick<GatewayProblem, 'detail' | 'instance' | 'reason' | 'retry_after_s' | 'validation'>>;

/** What one `call` may say beside the request. */
export interface CallOptions {
  /** Sent as `Idempotency-Key`: the key of a write in place of the one derived from its inputs. The client never makes one by itself. */
  idempotency_key?: string;
  /** As `context.request_id`; absent: a new one for each `call`. Keep it over a restart to ask for the same request again. */
  request_id?: string;
  /** Ends the wait: the result is what is known by then. The call itself goes on; `cancel` ends that. */
  signal?: AbortSignal;
}
