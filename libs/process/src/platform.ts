import { existsSync } from 'node:fs';
import { access, constants, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EventCodec } from '@countersign/contracts';
import { currentBoot, EmbeddedEventLog, type EventLog, KafkaEventLog, PrefixedEventLog, RegisteredCodec } from '@countersign/event-log';
import { InProcessWakeUps, KeyRing, PgliteStore, PostgresStore, RedisWakeUps, type Store } from '@countersign/store';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { AppDeps } from './app-deps.js';
import { systemClock } from './clock.js';
import { createLogger, type Logger } from './logger.js';
import type { PlatformConfig } from './platform-config.js';
import { topicSpecs } from './topics.js';

/** The platform cannot be opened: one line that says what, where and what to do. */
export class CannotOpen extends Error {}

/** The parts of a process, opened: what its services get, and how to close them (services first). */
export interface Platform {
  deps: AppDeps;
  close(): Promise<void>;
}

type Parts = Pick<AppDeps, 'log' | 'codec' | 'schemas' | 'store' | 'wake_ups'>;

async function dataDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    if (!(await stat(dir)).isDirectory()) throw new Error('not a directory');
    await access(dir, constants.W_OK | constants.R_OK);
  } catch (cause) {
    throw new CannotOpen(
      `COUNTERSIGN_DATA_DIR ${dir} cannot be used (${(cause as Error).message}): give a directory that this user may write`,
      { cause },
    );
  }
}

/** PGlite never syncs, so its tables may be trusted only while the machine has not gone down since: then they are folded again. */
async function openPglite(data_dir: string, logger: Logger): Promise<Store> {
  const dir = path.join(data_dir, 'pg');
  const boot_file = path.join(data_dir, 'pg.boot');
  const boot = await currentBoot();
  const known = await readFile(boot_file, 'utf8').catch(() => undefined);
  if (known !== boot || boot === '') {
    if (existsSync(dir)) logger.warn('the machine went down since the last start: the database is folded again from the log');
    await PgliteStore.reset(dir);
    await writeFile(boot_file, boot);
  }
  const opened = await PgliteStore.tryOpen({ dir });
  if ('store' in opened) return opened.store;
  logger.warn({ cause: opened.cause.message }, `the database is ${opened.unusable}: it is folded again from the log`);
  await PgliteStore.reset(dir);
  return PgliteStore.open({ dir });
}

async function openEmbedded(config: PlatformConfig, logger: Logger): Promise<Parts> {
  const onFault = (cause: unknown) => logger.warn({ cause: String(cause) }, 'a reader of the log failed and is tried again');
  const log = await EmbeddedEventLog.open({ dir: path.join(config.data_dir, 'log'), onFault }).catch((cause: Error) => {
    throw new CannotOpen(`the log in ${config.data_dir} cannot be opened: ${cause.message}`, { cause });
  });
  const store = await openPglite(config.data_dir, logger);
  if (log.last_stop === 'machine_crashed') await log.crashHandled();
  return { log, codec: new EventCodec(), store, wake_ups: new InProcessWakeUps() };
}

async function openDistributed(service: string, config: PlatformConfig, logger: Logger): Promise<Parts> {
  const kafka = config.kafka as NonNullable<PlatformConfig['kafka']>;
  const opened = async <T>(what: string, work: Promise<T>): Promise<T> =>
    work.catch((cause: Error) => {
      throw new CannotOpen(`${what} does not answer: ${cause.message}`, { cause });
    });
  const warn = (message: string, detail: Readonly<Record<string, unknown>>) => logger.warn(detail, message);
  const inner = await opened(
    `Kafka at ${kafka.brokers.join(', ')}`,
    KafkaEventLog.open({
      brokers: kafka.brokers,
      ...(kafka.login ? { sasl: kafka.login } : {}),
      ssl: kafka.ssl,
      client_id: `countersign-${service}`,
      producers: kafka.producers,
      warn,
    }),
  );
  const log: EventLog = kafka.topic_prefix === '' ? inner : new PrefixedEventLog(inner, kafka.topic_prefix);
  const codec = new EventCodec();
  const schemas = new RegisteredCodec(kafka.registry_url, codec);
  await opened(`the schema registry at ${kafka.registry_url}`, schemas.start());
  const store = await opened('Postgres (COUNTERSIGN_DATABASE_URL)', PostgresStore.open({ url: config.database_url as string }));
  const wake_ups = new RedisWakeUps({
    url: config.redis_url as string,
    prefix: kafka.topic_prefix,
    on_fault: (cause) => logger.warn({ cause: cause.message }, 'wake-ups are lost: Redis does not answer'),
  });
  return { log, codec, schemas, store, wake_ups };
}

/** A log without its key would take every repeat for a new call and fire it again: then nothing starts. */
async function openKeys(config: PlatformConfig): Promise<KeyRing> {
  if (config.master_key) return KeyRing.fromText(config.master_key);
  const file = path.join(config.data_dir, 'keys.json');
  if (!existsSync(file) && existsSync(path.join(config.data_dir, 'log')))
    throw new CannotOpen(`the key file ${file} is gone: restore it from a backup (with a new key old calls would fire again)`);
  return KeyRing.fromFile(file).catch((cause: Error) => {
    throw new CannotOpen(cause.message, { cause });
  });
}

/** Opens log, store, cache and keys as configured. @throws CannotOpen */
export async function openPlatform(service: string, config: PlatformConfig): Promise<Platform> {
  const logger = createLogger(service, config.log_level);
  await dataDirectory(config.data_dir);
  const keys = await openKeys(config);
  const parts = config.mode === 'embedded' ? await openEmbedded(config, logger) : await openDistributed(service, config, logger);
  await parts.log.ensureTopics(topicSpecs(config.lanes, config.partitions));
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const deps: AppDeps = { ...parts, keys, clock: systemClock, logger, metrics, tracing: config.tracing };
  return {
    deps,
    close: async () => {
      await parts.wake_ups.close();
      await parts.store.close();
      await parts.log.close();
    },
  };
}
