import { type Disk, NodeDisk } from './disk.js';

export interface EmbeddedOptions {
  /** Created if missing. Only one process at a time can open it. */
  dir: string;
  /** `none` only for tests: nothing survives a crash of the machine then. */
  fsync?: 'fdatasync' | 'none';
  /** Size at which the journal continues in a new file; default 64 MiB. */
  segment_bytes?: number;
  /** Approximate size of the newest records kept in memory; default 32 MiB. */
  tail_bytes?: number;
  /** Appends are refused while more than this many bytes wait for the disk; default 256 MiB. */
  pending_bytes_max?: number;
  /** Largest size of a value; default 8 MiB. */
  record_bytes_max?: number;
  /** Pause between retries of a write while the disk is full; default 250 ms. */
  full_retry_ms?: number;
  /** Delay after which committed offsets are saved; default 1000 ms. */
  offsets_save_ms?: number;
  /** Longest wait for a handler when its partition moves or its subscription closes; default 5000 ms. */
  handover_ms?: number;
  /** Distance between index entries; default 64 KiB. */
  chunk_bytes?: number;
  /** Epoch milliseconds, for the timestamps of records. */
  clock?: () => number;
  disk?: Disk;
  /** Called for every failed handler or read, which is then retried. */
  onFault?: (error: unknown) => void;
}

export type EmbeddedSettings = Required<EmbeddedOptions>;

const KIB = 1024;
const MIB = 1024 * KIB;

export function embeddedSettings(options: EmbeddedOptions): EmbeddedSettings {
  return {
    fsync: 'fdatasync',
    segment_bytes: 64 * MIB,
    tail_bytes: 32 * MIB,
    pending_bytes_max: 256 * MIB,
    record_bytes_max: 8 * MIB,
    full_retry_ms: 250,
    offsets_save_ms: 1_000,
    handover_ms: 5_000,
    chunk_bytes: 64 * KIB,
    clock: Date.now,
    disk: options.disk ?? new NodeDisk(),
    onFault: () => undefined,
    ...options,
  };
}
