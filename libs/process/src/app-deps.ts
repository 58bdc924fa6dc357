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

/** Hints that the records of a result are on the log; a hint may be lost or repeated (the log is authoritative). */
export interface WakeUpChannel {
  /** True if a hint may deliver a record before a reader of the log sees it. In one process the log itself is as fast. */
  readonly is_ahead_of_log?: boolean;
  publish(channel: string, payload: Buffer[]): void;
  subscribe(channel: string, handler: (payload: Buffer) => void): Promise<void>;
  close(): Promise<void>;
}

/** The dependencies that a service gets from its process; standalone gives all its services the same ones. */
export interface AppDeps {
  log: EventLog;
  codec: EventCodec;
  /** The registry used by the codec; absent embedded. */
  schemas?: SchemaSource;
  store: Store;
  keys: TenantKeys;
  /** Secrets and users' tokens, encrypted. */
  vault: Vault;
  wake_ups: WakeUpChannel;
  /** Large outputs and attachments. */
  blobs: Blobs;
  /** Cached results of read-only tools; a hint. */
  results: ResultCache;
  clock: Clock;
  logger: Logger;
  metrics: Registry;
  /** Whether an OpenTelemetry SDK is loaded and spans are recorded. */
  tracing: boolean;
  /** Idempotency keys whose records the log may have dropped; absent only in tests that do not need it. */
  key_snapshot?: KeySnapshot;
  /** Seals and opens personal data; absent only in tests that do not need it. */
  personal?: Personal;
  /** Tiles, checkpoints and their key; absent only in tests that do not need it. */
  evidence?: Evidence;
  /** Records found to differ from what was signed; absent only in tests that do not need it. */
  damage?: KnownDamage;
}

export interface RunningApp {
  /** Whether the service has caught up with the state that it needs before it serves. Cheap; called by /readyz. */
  ready(): boolean;
  /** The packs that the service cannot use; absent if it has none. Cheap; listed by /readyz. */
  unhealthy?(): readonly UnhealthyPack[];
  /** Accepts no more work, finishes or hands over running work, and resolves when none is left. */
  close(): Promise<void>;
}
