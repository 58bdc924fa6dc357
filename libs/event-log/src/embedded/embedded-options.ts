import { type Disk, NodeDisk } from './disk.js';

export interface EmbeddedOptions {
  /** Made if missing. One process at a time may have it open. */
  dir: string;
  /** `none` only for tests: then nothing survives a crash of the machine. */
  fsync?: 'fdatasync' | 'none';
  /** The journal goes on in a new file after so many bytes; default 64 MiB. */
  segment_bytes?: number;
  /** The newest records kept in memory, about; default 32 MiB. */
  tail_bytes?: number;
  /** Appends are refused while more than this waits for the disk; default 256 MiB. */
  pending_bytes_max?: number;
  /** The largest value; default 8 MiB. */
  record_bytes_max?: number;
  /** While the disk is full a write is tried again after so long; default 250 ms. */
  full_retry_ms?: number;
  /** Committed offsets are saved after so long; default 1000 ms. */
  offsets_save_ms?: number;
  /** A handler is waited for so long when its partition moves or its subscription closes; default 5000 ms. */
  handover_ms?: number;
  /** Distance of index entries; default 64 KiB. */
  chunk_bytes?: number;
  /** Epoch milliseconds: the time records are stamped with. */
  clock?: () => number;
  disk?: Disk;
  /** Called for every failed handler or read that will be retried. */
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
