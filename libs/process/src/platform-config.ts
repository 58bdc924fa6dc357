import path from 'node:path';
import { parseWitness, type Witness } from '@countersign/proofs';
import type { S3BlobsOptions } from '@countersign/store';
import { z } from 'zod';
import { clusterOf, clusterVariables, type KafkaCluster, loginFaults } from './kafka-config.js';
import { type Environment, list, type ParsedConfig, readSettings, wholeNumber } from './settings.js';

/** The variables that every service reads. */
export const platformVariables = z.object({
  COUNTERSIGN_DATA_DIR: z
    .string()
    .min(1)
    .default('./.countersign')
    .transform((dir) => path.resolve(dir))
    .describe('folder of the journal, the embedded database and the key files'),
  ...clusterVariables,
  COUNTERSIGN_KAFKA_PRODUCERS: wholeNumber(1, 16)
    .optional()
    .describe('number of Kafka producers of one process; unset: 1 if the cluster has one broker, else 2'),
  COUNTERSIGN_KAFKA_SESSION_MS: wholeNumber(1000, 120_000)
    .default(8000)
    .describe('session timeout of consumers: after this time without a heartbeat a consumer loses its partitions'),
  COUNTERSIGN_KAFKA_STALL_MS: wholeNumber(1000, 3_600_000)
    .default(60_000)
    .describe(
      'after this time without progress, while records are waiting, a subscription reconnects; after the same time again, the process exits with code 1',
    ),
  COUNTERSIGN_SCHEMA_REGISTRY_URL: z.url().optional().describe('Confluent-compatible schema registry; part of distributed mode'),
  COUNTERSIGN_DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL; part of distributed mode'),
  COUNTERSIGN_REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('Redis for the cache and wake-ups; part of distributed mode'),
  COUNTERSIGN_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('S3-compatible store for large outputs and attachments; unset: `<data dir>/blobs`, which gateway and executors then share'),
  COUNTERSIGN_S3_BUCKET: z.string().min(3).max(63).optional().describe('its bucket'),
  COUNTERSIGN_S3_REGION: z.string().min(1).default('us-east-1').describe('its region'),
  COUNTERSIGN_S3_ACCESS_KEY_ID: z.string().min(1).optional().describe('access key of the S3 store'),
  COUNTERSIGN_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe('secret key of the S3 store'),
  COUNTERSIGN_PARTITIONS: wholeNumber(1, 256)
    .default(4)
    .describe('partitions of the topics that the start creates; existing topics keep theirs'),
  COUNTERSIGN_JOURNAL_FILE_BYTES: wholeNumber(65_536, 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('size of one file of the embedded journal; retention deletes whole files'),
  COUNTERSIGN_MASTER_KEY: z
    .string()
    .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64')
    .optional()
    .describe(
      '32 bytes in base64 from which tenant keys are derived; the same for every service; unset in embedded mode: `<data dir>/keys.json`',
    ),
  COUNTERSIGN_AUDIT_WITNESSES: list('')
    .transform((texts, context) =>
      texts.flatMap((text) => {
        const witness = parseWitness(text);
        if (witness) return [witness];
        context.addIssue({
          code: 'custom',
          message: `${text.slice(0, 80)} is not the key of a witness: write <vkey>, or heads:<vkey> for a witness that runs countersign witness (npm run countersign -- witness --new-key creates one)`,
        });
        return [];
      }),
    )
    .describe(
      'keys of the witnesses whose cosignatures `?cosigned=true` requires; `heads:<vkey>` marks a witness that runs `countersign witness`; at least one of these is required ([auditors](../how-to/auditors.md))',
    ),
  COUNTERSIGN_AUDIT_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'folder of tiles and checkpoints, shared by projectors and gateways; unset: `<data dir>/audit`, or the bucket in distributed mode',
    ),
  COUNTERSIGN_AUDIT_ORIGIN: z
    .string()
    .regex(/^[^\s+]{1,200}$/u, 'a name of 1 to 200 characters without white space and +, for example log.example.com/countersign')
    .optional()
    .describe('name of the log in its checkpoints; unset: derived from the master key'),
  COUNTERSIGN_SECRET_KEYS: z
    .string()
    .regex(
      /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=(\s*,\s*[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=)*$/,
      'id:base64 of 32 bytes, separated by commas; the first is the current key',
    )
    .optional()
    .describe(
      'keys that encrypt the secrets of tenants, `id:base64` separated by commas, the current key first; unset: `<data dir>/secret-keys.json`, or derived from the master key in distributed mode',
    ),
  COUNTERSIGN_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('warn')
    .describe('log level; secrets are redacted at every level'),
  COUNTERSIGN_CRASH_AT: z.string().optional(),
});

/** The locations of the log, the store and the cache. Without Kafka, registry, Postgres and Redis: embedded. */
export interface PlatformConfig {
  mode: 'embedded' | 'distributed';
  data_dir: string;
  kafka:
    | (KafkaCluster & {
        /** Undefined: the log chooses the number. */
        producers: number | undefined;
        /** A member without heartbeats for this long loses its partitions; at least the broker's group.min.session.timeout.ms. */
        session_ms: number;
        /** A subscription without progress for this long is rebuilt, and after the same time again the process ends. */
        stall_ms: number;
        registry_url: string;
      })
    | undefined;
  database_url: string | undefined;
  redis_url: string | undefined;
  /** A bucket for blobs; undefined: `<data dir>/blobs`, which gateway and executors must then share. */
  s3: S3BlobsOptions | undefined;
  lanes: string[];
  partitions: number;
  /** Embedded: size at which a file of the journal is followed by the next; old records are dropped in whole files. */
  journal_file_bytes?: number;
  master_key: string | undefined;
  /** Tiles and, embedded, checkpoints; distributed, every projector and gateway needs the same folder, or the bucket. */
  audit_dir: string;
  /** Distributed with a bucket and without a named folder: tiles go there. The topics' prefix separates installations. */
  audit_bucket?: (S3BlobsOptions & { prefix: string }) | undefined;
  /** The log's name in its checkpoints; undefined: derived from the master key. */
  audit_origin: string | undefined;
  /** Witnesses whose cosignatures a checkpoint needs to count as cosigned. */
  audit_witnesses: Witness[];
  /**
   * Keys that wrap secrets, `id:base64` separated by commas, the current one first; absent: a key file (embedded), or a key derived from
   * the master key.
   */
  secret_keys?: string | undefined;
  log_level: string;
  crash_at: string | undefined;
  /** An OTEL_* endpoint or exporter is set, so the SDK is loaded. */
  tracing: boolean;
}

type Settings = z.output<typeof platformVariables>;

const OF_DISTRIBUTED = [
  'COUNTERSIGN_KAFKA_BROKERS',
  'COUNTERSIGN_SCHEMA_REGISTRY_URL',
  'COUNTERSIGN_DATABASE_URL',
  'COUNTERSIGN_REDIS_URL',
] as const;
const OF_BUCKET = [
  'COUNTERSIGN_S3_ENDPOINT',
  'COUNTERSIGN_S3_BUCKET',
  'COUNTERSIGN_S3_ACCESS_KEY_ID',
  'COUNTERSIGN_S3_SECRET_ACCESS_KEY',
] as const;

/** The missing variables of a group of which some are set. */
function missingOf(env: Environment, together: readonly string[]): readonly string[] {
  const missing = together.filter((name) => !env[name]?.split(',').some((item) => item.trim() !== ''));
  return missing.length === together.length ? [] : missing;
}

/** Incomplete groups of variables. Reported together with invalid values, so it only checks which are set. */
function halves(env: Environment): string[] {
  const bucket = missingOf(env, OF_BUCKET).map((name) => `${name}: missing; the S3 store needs endpoint, bucket and both keys`);
  return [...kafkaFaults(env), ...bucket];
}

function kafkaFaults(env: Environment): string[] {
  const missing = missingOf(env, OF_DISTRIBUTED);
  if (missing.length === 0 && !env.COUNTERSIGN_KAFKA_BROKERS) return [];
  const faults = missing.map(
    (name) => `${name}: missing; distributed mode needs Kafka, the registry, Postgres and Redis together; embedded mode needs none of them`,
  );
  if (!env.COUNTERSIGN_MASTER_KEY)
    faults.push(
      'COUNTERSIGN_MASTER_KEY: missing; in distributed mode every service needs the same 32 bytes in base64 (openssl rand -base64 32)',
    );
  return [...faults, ...loginFaults(env)];
}

function s3Of(value: Settings): PlatformConfig['s3'] {
  if (value.COUNTERSIGN_S3_ENDPOINT === undefined) return undefined;
  return {
    endpoint: value.COUNTERSIGN_S3_ENDPOINT,
    bucket: value.COUNTERSIGN_S3_BUCKET as string,
    region: value.COUNTERSIGN_S3_REGION,
    access_key_id: value.COUNTERSIGN_S3_ACCESS_KEY_ID as string,
    secret_access_key: value.COUNTERSIGN_S3_SECRET_ACCESS_KEY as string,
  };
}

function kafkaOf(value: Settings): PlatformConfig['kafka'] {
  if (value.COUNTERSIGN_KAFKA_BROKERS.length === 0) return undefined;
  return {
    ...clusterOf(value),
    producers: value.COUNTERSIGN_KAFKA_PRODUCERS,
    session_ms: value.COUNTERSIGN_KAFKA_SESSION_MS,
    stall_ms: value.COUNTERSIGN_KAFKA_STALL_MS,
    registry_url: value.COUNTERSIGN_SCHEMA_REGISTRY_URL as string,
  };
}

const prefixOf = (topic_prefix: string): string => (topic_prefix === '' ? '' : `${topic_prefix}/`);

export function parsePlatformConfig(env: Environment): ParsedConfig<PlatformConfig> {
  const parsed = readSettings(platformVariables, env);
  const wrong = 'faults' in parsed ? parsed.faults : [];
  const isReported = (line: string) => wrong.some((reported) => reported.startsWith(line.slice(0, line.indexOf(':') + 1)));
  const faults = [...wrong, ...halves(env).filter((line) => !isReported(line))];
  if ('faults' in parsed || faults.length > 0) return { faults };
  const value = parsed.config;
  const s3 = s3Of(value);
  const kafka = kafkaOf(value);
  return {
    config: {
      mode: kafka ? 'distributed' : 'embedded',
      data_dir: value.COUNTERSIGN_DATA_DIR,
      kafka,
      database_url: value.COUNTERSIGN_DATABASE_URL,
      redis_url: value.COUNTERSIGN_REDIS_URL,
      s3,
      lanes: value.COUNTERSIGN_LANES,
      partitions: value.COUNTERSIGN_PARTITIONS,
      journal_file_bytes: value.COUNTERSIGN_JOURNAL_FILE_BYTES,
      master_key: value.COUNTERSIGN_MASTER_KEY,
      audit_dir: path.resolve(value.COUNTERSIGN_AUDIT_DIR ?? path.join(value.COUNTERSIGN_DATA_DIR, 'audit')),
      audit_bucket: kafka && s3 && value.COUNTERSIGN_AUDIT_DIR === undefined ? { ...s3, prefix: prefixOf(kafka.topic_prefix) } : undefined,
      audit_origin: value.COUNTERSIGN_AUDIT_ORIGIN,
      audit_witnesses: value.COUNTERSIGN_AUDIT_WITNESSES,
      secret_keys: value.COUNTERSIGN_SECRET_KEYS,
      log_level: value.COUNTERSIGN_LOG_LEVEL,
      crash_at: value.COUNTERSIGN_CRASH_AT,
      tracing: Object.keys(env).some((name) => /^OTEL_(EXPORTER|TRACES)_/.test(name)),
    },
  };
}
