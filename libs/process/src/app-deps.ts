import type { EventCodec } from '@countersign/contracts';
import type { EventLog, SchemaSource } from '@countersign/event-log';
import type { Blobs, KeySnapshot, ResultCache, Store, UnhealthyPack, Vault } from '@countersign/store';
import type { Registry } from 'prom-client';
import type { Clock } from './clock.js';
import type { KnownDamage } from './damage/known-damage.js';
import type { Evidence } from './evidence.js';
import type { Logger } from './logger.js';
import type { Personal } from './personal/personal.js';
import type { TenantKeys } from './tenant-keys.js';

/** A hint that the records of a result are on the log; may be lost or repeated (the log is the truth). */
export interface WakeUpChannel {
  /** True where a hint may bring a record before a reader of the log sees it. In one process the log itself is as quick. */
  readonly is_ahead_of_log?: boolean;
  publish(channel: string, payload: Buffer[]): void;
  subscribe(channel: string, handler: (payload: Buffer) => void): Promise<void>;
  close(): Promise<void>;
}

/** What a service gets from its process; standalone gives all four the same. */
export interface AppDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry behind the codec; absent embedded. */
  schemas?: SchemaSource;
  store: Store;
  keys: TenantKeys;
  /** Secrets and users' tokens, sealed. */
  vault: Vault;
  wake_ups: WakeUpChannel;
  /** Large outputs and attachments. */
  blobs: Blobs;
  /** Results of read-only tools that may be given again; a hint. */
  results: ResultCache;
  clock: Clock;
  logger: Logger;
  metrics: Registry;
  /** An OpenTelemetry SDK is loaded: spans are recorded. */
  tracing: boolean;
  /** Idempotency keys that the log may no longer tell of; absent only where a test does without. */
  key_snapshot?: KeySnapshot;
  /** What is personal is sealed and opened with it; absent only where a test does without. */
  personal?: Personal;
  /** Tiles, checkpoints and their key; absent only where a test does without. */
  evidence?: Evidence;
  /** What was found that is not what was signed; absent only where a test does without. */
  damage?: KnownDamage;
}

export interface RunningApp {
  /** Whether it has caught up with what it must know before it serves. Cheap; called by /readyz. */
  ready(): boolean;
  /** The packs that it cannot use; absent where it has none. Cheap; named by /readyz. */
  unhealthy?(): readonly UnhealthyPack[];
  /** Stops taking work, finishes or hands over what runs, and resolves when nothing of it is left. */
  close(): Promise<void>;
}
