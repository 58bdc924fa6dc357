import type { components, operations } from './generated/api.js';

/** Body of `POST /v1/calls`. */
export type CallRequest = operations['calls_submit']['requestBody']['content']['application/json'];

/** What the agent states about a call. */
export type CallContext = NonNullable<CallRequest['context']>;

/** The response to a call. */
export type CallEnvelope = components['schemas']['Envelope'];

/** Body of `POST /v1/sagas`. */
export type SagaRequest = operations['sagas_start']['requestBody']['content']['application/json'];

/** Body of `POST /v1/sagas/{saga_id}/waits/{step_id}`. */
export type SagaWaitAnswer = operations['saga_commands_answer']['requestBody']['content']['application/json'];

/** A saga as answers show it. */
export type Saga = components['schemas']['Saga'];

type GatewayProblem = components['schemas']['Problem'];

/** RFC 9457 problem document: of the gateway, or of a proxy before it, which has fewer fields. */
export type Problem = { type: string } & Pick<GatewayProblem, 'title' | 'status' | 'code'> &
  Partial<Pick<GatewayProblem, 'detail' | 'instance' | 'reason' | 'retry_after_s' | 'validation'>>;

/** Options of one `call` besides the request. */
export interface CallOptions {
  /** Sent as `Idempotency-Key`: replaces the key that is derived from the inputs of a write. The client never creates one by itself. */
  idempotency_key?: string;
  /** As `context.request_id`; absent: a new one for each `call`. Store it across a restart to repeat the same request. */
  request_id?: string;
  /** Ends the wait: the result is what is known by then. The call itself continues; `cancel` ends it. */
  signal?: AbortSignal;
}
