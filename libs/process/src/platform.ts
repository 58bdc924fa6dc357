import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log/embedded/embedded-event-log';
import { currentBoot } from '@countersign/event-log/embedded/stop-marker';
import { type KeptText, TextFile, TextRow } from '@countersign/evidence';
import {
  FileRows,
  FileSubjectKeys,
  FolderBlobs,
  InProcessResults,
  InProcessWakeUps,
  KeyRing,
  KeySnapshot,
  KnownWrappingKeys,
  PgliteStore,
  S3Blobs,
  S3Bucket,
  SnapshotFile,
  SnapshotObjects,
  SqlRows,
  SqlSubjectKeys,
  type Store,
  type SubjectKeys,
  Vault,
  WrappingKeyFile,
} from '@countersign/store';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { AppDeps } from './app-deps.js';
import { CannotOpen } from './cannot-open.js';
import { systemClock } from './clock.js';
import { measureDamage } from './damage/damage-metric.js';
import { KnownDamage } from './damage/known-damage.js';
import type { Parts } from './distributed-parts.js';
import { openEvidence } from './evidence.js';
import { createLogger, type Logger } from './logger.js';
import { Erasures } from './personal/erasures.js';
import { Personal } from './personal/personal.js';
import type { PlatformConfig } from './platform-config.js';
import { makePrivate } from './private-folder.js';
import { ProcessFailure } from './process-failure.js';
import { SharedClock } from './shared-clock.js';
import { topicSpecs } from './topics.js';
import { usableFolder } from './usable-folder.js';

/** The opened parts of a process: the dependencies of its services, and how to close them (services first). */
export interface Platform {
  deps: AppDeps;
  /** Resolves with the reason if a part cannot continue in this process. */
  failed: Promise<string>;
  close(): Promise<void>;
}

/** PGlite never syncs, so its tables are invalid after a crash of the machine: they are rebuilt then. */
async function openPglite(data_dir: string, logger: Logger): Promise<Store> {
  const dir = path.join(data_dir, 'pg');
  const boot_file = path.join(data_dir, 'pg.boot');
  const boot = await currentBoot();
  const known = await readFile(boot_file, 'utf8').catch(() => undefined);
  if (known !== boot || boot === '') {
    if (existsSync(dir))
      logger.warn(
        { event: 'machine_crash_detected' },
        'the machine stopped unexpectedly since the last start: rebuilding the database from the log',
      );
    await PgliteStore.reset(dir);
    await writeFile(boot_file, boot, { mode: 0o600 });
  }
  const opened = await PgliteStore.tryOpen({ dir });
  if ('store' in opened) return opened.store;
  logger.warn({ event: 'database_rebuilt', cause: opened.cause.message }, `the database is ${opened.unusable}: rebuilding it from the log`);
  await PgliteStore.reset(dir);
  return PgliteStore.open({ dir });
}

async function openEmbedded(config: PlatformConfig, logger: Logger): Promise<Parts> {
  const onFault = (cause: unknown) =>
    logger.warn({ event: 'log_reader_failed', cause: String(cause) }, 'a reader of the log failed; retrying');
  const size = config.journal_file_bytes === undefined ? {} : { segment_bytes: config.journal_file_bytes };
  const log = await EmbeddedEventLog.open({ dir: path.join(config.data_dir, 'log'), onFault, ...size }).catch((cause: Error) => {
    throw new CannotOpen(`the log in ${config.data_dir} cannot be opened: ${cause.message}`, { cause });
  });
  const store = await openPglite(config.data_dir, logger);
  if (log.last_stop === 'machine_crashed') await log.crashHandled();
  return { log, codec: new EventCodec(), store, wake_ups: new InProcessWakeUps(), results: new InProcessResults() };
}

/** The clients of Kafka, Postgres and Redis are loaded only if used: they are a fifth of the modules of an embedded start. */
async function openParts(service: string, config: PlatformConfig, logger: Logger, failure: ProcessFailure): Promise<Parts> {
  if (config.mode === 'embedded') return openEmbedded(config, logger);
  const { openDistributed } = await import('./distributed-parts.js');
  return openDistributed(service, config, logger, failure);
}

/** Without its key a log would treat every repeat as a new call and run it again: so the start fails. */
async function openKeys(config: PlatformConfig): Promise<KeyRing> {
  if (config.master_key) return KeyRing.fromText(config.master_key);
  const file = path.join(config.data_dir, 'keys.json');
  if (!existsSync(file) && existsSync(path.join(config.data_dir, 'log')))
    throw new CannotOpen(`the key file ${file} is missing: restore it from a backup (with a new key, old calls could run again)`);
  return KeyRing.fromFile(file).catch((cause: Error) => {
    throw new CannotOpen(cause.message, { cause });
  });
}

async function closeParts(parts: Parts): Promise<void> {
  await parts.wake_ups.close();
  await parts.results.close();
  await parts.store.close();
  await parts.log.close();
}

/** Embedded: sealed values are in a synced file next to keys that this installation creates; else in the durable store. */
async function openVault(config: PlatformConfig, store: Store, keys: KeyRing): Promise<Vault> {
  const given = config.secret_keys === undefined ? undefined : KnownWrappingKeys.fromText(config.secret_keys);
  if (store.durable) return new Vault(new SqlRows(store), given ?? new KnownWrappingKeys([['master', keys.seed('secrets')]]));
  const rows = path.join(config.data_dir, 'secrets.sealed');
  const file = path.join(config.data_dir, 'secret-keys.json');
  if (!given && existsSync(rows) && !existsSync(file))
    throw new CannotOpen(`the key file ${file} is missing: restore it from a backup (without it, no secret can be read)`);
  try {
    return new Vault(await FileRows.open(rows), given ?? (await WrappingKeyFile.open(file)));
  } catch (cause) {
    throw new CannotOpen((cause as Error).message, { cause });
  }
}

/** Keys of subjects are never in PGlite: they must be durable, and must not reappear after they are destroyed. */
async function openSubjectKeys(config: PlatformConfig, store: Store, keys: KeyRing): Promise<SubjectKeys> {
  const wrapping_key = keys.seed('subject-keys');
  if (store.durable) return new SqlSubjectKeys(store, wrapping_key);
  return FileSubjectKeys.open(path.join(config.data_dir, 'subject-keys.bin'), wrapping_key).catch((cause: Error) => {
    throw new CannotOpen(cause.message, { cause });
  });
}

/** The list of erasures whose keys are destroyed, stored beside the keys, so that an old copy of a key is detected. */
function destroyedKeys(config: PlatformConfig, store: Store): KeptText {
  return store.durable ? new TextRow(store, 'destroyed-keys') : new TextFile(path.join(config.data_dir, 'destroyed-keys.json'));
}

/** Uses the bucket if there is one, so that an executor on another machine can restore what a gateway saved. */
function openKeySnapshot(config: PlatformConfig, store: Store): KeySnapshot {
  const { audit_bucket: bucket } = config;
  if (bucket) return new KeySnapshot(store, new SnapshotObjects(new S3Bucket(bucket), `audit/${bucket.prefix}effect-keys`));
  return new KeySnapshot(store, new SnapshotFile(path.join(config.data_dir, 'effect-keys.snapshot')));
}

/** Opens log, store, cache and keys as configured. @throws CannotOpen */
export async function openPlatform(service: string, config: PlatformConfig): Promise<Platform> {
  const logger = createLogger(service, config.log_level);
  await usableFolder('COUNTERSIGN_DATA_DIR', config.data_dir, 0o700);
  const open = await makePrivate(config.data_dir);
  if (open.length > 0)
    logger.warn(
      { event: 'data_directory_open', paths: open.slice(0, 10) },
      'other users may read files of the data directory: these files belong to another user; change their owner to the user of this process',
    );
  const keys = await openKeys(config);
  const failure = new ProcessFailure();
  const parts = await openParts(service, config, logger, failure);
  const evidence = openEvidence(config, parts, keys);
  const vault = await openVault(config, parts.store, keys).catch(async (cause) => {
    await closeParts(parts);
    throw cause;
  });
  const subject_keys = await openSubjectKeys(config, parts.store, keys).catch(async (cause) => {
    await vault.close();
    await closeParts(parts);
    throw cause;
  });
  // Embedded, the database belongs to this process and uses its clock.
  const shared = parts.store.durable ? await SharedClock.start(parts.store) : undefined;
  const clock = shared ?? systemClock;
  const damage = new KnownDamage({ ...parts, clock, logger });
  const erasures = new Erasures(parts, subject_keys, destroyedKeys(config, parts.store));
  const close = async () => {
    shared?.close();
    await vault.close();
    await erasures.close();
    await subject_keys.close();
    await damage.close();
    await evidence.checkpoints.close();
    await closeParts(parts);
  };
  await parts.log.ensureTopics(topicSpecs(config.lanes, config.partitions)).catch(async (cause: Error) => {
    await close();
    throw new CannotOpen(`the topics cannot be created: ${cause.message}`, { cause });
  });
  await damage.start();
  await erasures.start(damage);
  const metrics = new Registry();
  measureDamage(damage, metrics);
  collectDefaultMetrics({ register: metrics });
  const blobs = config.s3 ? new S3Blobs(config.s3) : new FolderBlobs(path.join(config.data_dir, 'blobs'));
  const personal = new Personal(subject_keys, keys, () => clock.now_ms(), erasures);
  const deps: AppDeps = {
    ...parts,
    key_snapshot: openKeySnapshot(config, parts.store),
    blobs,
    keys,
    vault,
    personal,
    clock,
    logger,
    metrics,
    tracing: config.tracing,
    evidence,
    damage,
  };
  return { deps, failed: failure.happened, close };
}
