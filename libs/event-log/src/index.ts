export * from './event-log.js';
export { BatchDecoder, type SchemaSource } from './transport/batch-decoder.js';
export type { PoisonRecord } from './transport/dead-letters.js';
export type { EventBatch, Recorded } from './transport/event-batch.js';
export type { FaultSink } from './transport/fault-policy.js';
export { FoldedTopics, type FoldedTopicsOptions } from './transport/folded-topics.js';
export { LOG_TRANSPORT, LogContext } from './transport/log-context.js';
export { LogTransport, type LogTransportOptions } from './transport/log-transport.js';
export { OnTopic, type OnTopicOptions } from './transport/on-topic.js';
