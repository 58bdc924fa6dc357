export { type CallResult, type ClientOptions, CountersignClient } from './countersign-client.js';
export type { CallEnvelope, CallRequest, Problem } from './wire.js';
