export { type ClientOptions, CountersignClient } from './countersign-client.js';
export type { CallResult } from './exchange.js';
export type { CallContext, CallEnvelope, CallOptions, CallRequest, Problem } from './wire.js';
