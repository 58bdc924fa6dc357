export { type ClientOptions, CountersignClient } from './countersign-client.js';
export type { CallResult } from './exchange.js';
export type { components, operations, paths } from './generated/api.js';
export type { SagaBlock, SagaDefinition } from './saga-blocks.js';
export { SagaBuilder, type SagaOptions, saga } from './saga-builder.js';
export { type SagaAct, SagaClient, type SagaResult, type SagaStartOptions } from './saga-client.js';
export {
  EventsRefused,
  type TenantChange,
  type TenantEvent,
  type TenantEventKind,
  type TenantEventsOptions,
} from './tenant-events.js';
export type { TypedApi } from './typed-api.js';
export type { CallContext, CallEnvelope, CallOptions, CallRequest, Problem, Saga, SagaRequest, SagaWaitAnswer } from './wire.js';
