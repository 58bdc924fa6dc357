import { EventCodec } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { IncompatibleSchema, RegisteredCodec } from '@countersign/event-log/kafka/registered-codec';
import { PrefixedEventLog } from '@countersign/event-log/prefixed/prefixed-event-log';
import { PostgresStore } from '@countersign/store/postgres/postgres-store';
import { RedisResults } from '@countersign/store/results/redis-results';
import { RedisWakeUps } from '@countersign/store/wake-ups/redis-wake-ups';
import type { AppDeps } from './app-deps.js';
import { CannotOpen } from './cannot-open.js';
import { clientOptions } from './kafka-config.js';
import type { Logger } from './logger.js';
import type { PlatformConfig } from './platform-config.js';
import type { ProcessFailure } from './process-failure.js';

/** The first parts that a process opens: the log, the store and hints. */
export type Parts = Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'wake_ups' | 'results'>;

type KafkaConfig = NonNullable<PlatformConfig['kafka']>;

/** Requests of 25 ms are appended as one batch, so that every later stage handles one batch instead of several. */
const REQUESTS_EVERY_MS = 25;

async function opened<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const { message } = cause as Error;
    throw new CannotOpen(cause instanceof IncompatibleSchema ? message : `${what} does not respond: ${message}`, { cause });
  }
}

function openKafka(service: string, kafka: KafkaConfig, logger: Logger, failure: ProcessFailure): Promise<KafkaEventLog> {
  return opened(
    `Kafka at ${kafka.brokers.join(', ')}`,
    KafkaEventLog.open({
      ...clientOptions(kafka),
      client_id: `countersign-${service}`,
      ...(kafka.producers === undefined ? {} : { producers: kafka.producers }),
      session_timeout_ms: kafka.session_ms,
      stall_ms: kafka.stall_ms,
      ...(service === 'gateway' ? { send_every_ms: REQUESTS_EVERY_MS } : {}),
      warn: (message, detail) => logger.warn(detail, message),
      tell: (message, detail) => logger.info(detail, message),
      fail: (reason, detail) => {
        logger.error(detail, reason);
        failure.report(reason);
      },
    }),
  );
}

/** Opens Kafka, the registry, Postgres and Redis. Redis may be unavailable (it only carries hints). @throws CannotOpen, with nothing left open */
export async function openDistributed(service: string, config: PlatformConfig, logger: Logger, failure: ProcessFailure): Promise<Parts> {
  const kafka = config.kafka as KafkaConfig;
  const inner = await openKafka(service, kafka, logger, failure);
  try {
    const log: EventLog = kafka.topic_prefix === '' ? inner : new PrefixedEventLog(inner, kafka.topic_prefix);
    const codec = new EventCodec();
    const schemas = new RegisteredCodec(kafka.registry_url, codec);
    await opened(`the schema registry at ${kafka.registry_url}`, schemas.start());
    const store = await opened('Postgres (COUNTERSIGN_DATABASE_URL)', PostgresStore.open({ url: config.database_url as string }));
    const wake_ups = new RedisWakeUps({
      url: config.redis_url as string,
      prefix: kafka.topic_prefix,
      on_fault: (cause) => logger.warn({ event: 'wake_ups_lost', cause: cause.message }, 'wake-ups are lost: Redis is unavailable'),
    });
    const results = new RedisResults({
      url: config.redis_url as string,
      prefix: kafka.topic_prefix,
      on_fault: (cause) =>
        logger.warn({ event: 'results_not_cached', cause: cause.message }, 'results are not cached: Redis is unavailable'),
    });
    return { log, codec, schemas, store, wake_ups, results };
  } catch (cause) {
    await inner.close();
    throw cause;
  }
}
