export { type CallResult, type ClientOptions, CountersignClient } from './countersign-client.js';
export type { CallContext, CallEnvelope, CallOptions, CallRequest, Problem } from './wire.js';
