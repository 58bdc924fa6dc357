import type { ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';

/** How to reach a Kafka cluster and how patient to be. Times are milliseconds. */
export interface KafkaLogOptions {
  brokers: readonly string[];
  client_id: string;
  /** Idempotent producers, each with at most one send outstanding. A partition is always written by the same one.
   *  Default (0): one where the cluster has one broker when the log is opened, for a send to it holds every partition; else 2. */
  producers?: number;
  sasl?: SASLOptions;
  ssl?: boolean | ConnectionOptions;
  /** An append that is not acknowledged after this long is an InfrastructureFault (the records may or may not be there). */
  append_timeout_ms?: number;
  /** How often a send is repeated under its sequence before its records are given up: 100, 200, 400, 800, then 1000 ms apart. */
  send_retries?: number;
  /** A request without a reply after this long: its connection is cut and the request sent again. */
  request_timeout_ms?: number;
  /** A member that is silent for this long loses its partitions; must be at least the broker's group.min.session.timeout.ms. */
  session_timeout_ms?: number;
  heartbeat_ms?: number;
  /** How long the broker may hold a fetch that has nothing to give. */
  fetch_wait_ms?: number;
  /** Fetches of one reader start at least this far apart. */
  fetch_every_ms?: number;
  /** Under load, sends of one producer start at most this far apart where they could sooner: a send costs far more than a record. */
  send_every_ms?: number;
  commit_ms?: number;
  /** A reader without progress for this long, where Kafka has records for it, is rebuilt; after as long again `fail` is called. */
  stall_ms?: number;
  /** -1 is the broker's default.replication.factor. */
  replication_factor?: number;
  /** What went wrong and is being retried. Never called with a record's content. */
  warn?(message: string, detail: Readonly<Record<string, unknown>>): void;
  /** What an operator wants to know and nothing is wrong with: which partitions a member has from now on. */
  tell?(message: string, detail: Readonly<Record<string, unknown>>): void;
  /** This process cannot read on and should end, so that its supervisor starts another. May be called more than once. */
  fail?(reason: string, detail: Readonly<Record<string, unknown>>): void;
}

export type KafkaSettings = Readonly<Required<Omit<KafkaLogOptions, 'sasl' | 'ssl'>> & Pick<KafkaLogOptions, 'sasl' | 'ssl'>>;

const defaults = {
  producers: 0,
  append_timeout_ms: 15_000,
  send_retries: 12, // a broker that restarts is usually back within these 9.5 s
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
