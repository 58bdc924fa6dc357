export * from './event-log.js';
export type { EventBatch, Recorded } from './transport/event-batch.js';
