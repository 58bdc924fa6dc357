import type { ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';

/** Connection settings and timeouts of a Kafka cluster. Times are milliseconds. */
export interface KafkaLogOptions {
  brokers: readonly string[];
  client_id: string;
  /**
   * Number of idempotent producers, each with at most one outstanding send. A partition is always written by the same one. Default (0):
   * one if the cluster has one broker when the log is opened, because a send to it blocks every partition; else 2.
   */
  producers?: number;
  sasl?: SASLOptions;
  ssl?: boolean | ConnectionOptions;
  /** An append that is not acknowledged after this long fails with an InfrastructureFault (the records may or may not be written). */
  append_timeout_ms?: number;
  /** Retries of a send with the same sequence before its records fail: 100, 200, 400, 800, then 1000 ms apart. */
  send_retries?: number;
  /** Timeout of a request without a response: its connection is cut and the request sent again. */
  request_timeout_ms?: number;
  /** A member without heartbeats for this long loses its partitions; at least the broker's group.min.session.timeout.ms. */
  session_timeout_ms?: number;
  heartbeat_ms?: number;
  /** How long the broker may hold a fetch that has no records. */
  fetch_wait_ms?: number;
  /** Minimum interval between the starts of two fetches of one reader. */
  fetch_every_ms?: number;
  /** Under load, sends of one producer start this far apart instead of earlier: a send costs far more than a record. */
  send_every_ms?: number;
  commit_ms?: number;
  /** A reader without progress for this long, although Kafka has records for it, is rebuilt; after the same time again `fail` is called. */
  stall_ms?: number;
  /** -1 is the broker's default.replication.factor. */
  replication_factor?: number;
  /** A fault that is being retried. Never called with a record's content. */
  warn?(message: string, detail: Readonly<Record<string, unknown>>): void;
  /** An event without a fault that operators need, such as a member's new partitions. */
  tell?(message: string, detail: Readonly<Record<string, unknown>>): void;
  /** This process cannot continue to read and should end, so that its supervisor starts another. May be called more than once. */
  fail?(reason: string, detail: Readonly<Record<string, unknown>>): void;
}

export type KafkaSettings = Readonly<Required<Omit<KafkaLogOptions, 'sasl' | 'ssl'>> & Pick<KafkaLogOptions, 'sasl' | 'ssl'>>;

const defaults = {
  producers: 0,
  append_timeout_ms: 15_000,
  send_retries: 12, // a restarting broker is usually back within these 9.5 s
  request_timeout_ms: 5_000,
  session_timeout_ms: 8_000,
  heartbeat_ms: 500,
  fetch_wait_ms: 250,
  fetch_every_ms: 5,
  send_every_ms: 5,
  commit_ms: 1_000,
  stall_ms: 60_000,
  replication_factor: -1,
  warn: () => {},
  tell: () => {},
  fail: () => {},
} as const;

export function kafkaSettings(options: KafkaLogOptions): KafkaSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(given) as unknown as KafkaLogOptions) };
}
