import { type Cut, headName, type TreeHead, type WireDecision, type WireHead, wireHead } from '@countersign/proofs';

/** The stored form of a head. */
export type StoredHead = WireHead;

/** One stored checkpoint: its signed content, and the heads of the trees that grew since the previous one. */
export interface CheckpointRecord {
  number: number;
  time_ms: number;
  trees: number;
  heads_root: string;
  /** The heads of all trees if `full`, else of those that grew. */
  full: boolean;
  heads: StoredHead[];
  /** C2SP signed note over the tree of size number + 1. */
  note: string;
  /** The decisions by which an entry opens generations of trees; absent in other entries. */
  decisions?: WireDecision[];
  /** Absent in entries of earlier releases. */
  cut?: Cut;
}

/** The newest checkpoint, with the heads of all trees that it covers by `headName`. */
export interface NewestCheckpoint {
  record: CheckpointRecord;
  heads: ReadonlyMap<string, TreeHead>;
}

/** Every checkpoint with a number divisible by this has all heads, so that a start reads at most this many. */
export const FULL_EVERY = 1000;

export const storedHead: (head: TreeHead) => StoredHead = wireHead;

/** Parses a stored head. Only its note shows whether it was signed. */
export function headOf([topic, partition, size, root, generation]: StoredHead): TreeHead {
  return { topic, partition, size, root: Buffer.from(root, 'base64'), ...(generation ? { generation } : {}) };
}

/** Applies the heads of a checkpoint to those of the previous one. */
export function withHeads(heads: Map<string, TreeHead>, record: CheckpointRecord): Map<string, TreeHead> {
  const all = record.full ? new Map<string, TreeHead>() : heads;
  for (const head of record.heads.map(headOf)) all.set(headName(head), head);
  return all;
}

/** Stores checkpoints by number. */
export interface CheckpointStore {
  /** Undefined if there is none yet. Cheap if nothing is new since the last call. */
  newest(): Promise<NewestCheckpoint | undefined>;
  /** The checkpoint with a number, with the heads that it covers; undefined if there is none. */
  at(number: number): Promise<NewestCheckpoint | undefined>;
  /** All checkpoints from this number on (default 0), oldest first. */
  records(from?: number): AsyncIterable<CheckpointRecord>;
  /** Stores the checkpoint durably if its number is the next; `taken` if another signer was first. */
  append(record: CheckpointRecord): Promise<'kept' | 'taken'>;
  close(): Promise<void>;
}
