import { headName, type TreeHead, type WireDecision, type WireHead, wireHead } from '@countersign/proofs';

/** A head as it is stored. */
export type StoredHead = WireHead;

/** One checkpoint as it is kept: what it says, signed, and the heads of the trees that grew since the one before. */
export interface CheckpointRecord {
  number: number;
  time_ms: number;
  trees: number;
  heads_root: string;
  /** The heads of all trees where `full`, else of those that grew. */
  full: boolean;
  heads: StoredHead[];
  /** C2SP signed note over the tree of size number + 1. */
  note: string;
  /** Only of an entry that opens generations of trees: what lets it. */
  decisions?: WireDecision[];
}

/** The newest checkpoint and the heads of all trees that it covers, by `headName`. */
export interface NewestCheckpoint {
  record: CheckpointRecord;
  heads: ReadonlyMap<string, TreeHead>;
}

/** Every so many checkpoints one carries all heads, so that a start reads no more than these. */
export const FULL_EVERY = 1000;

export const storedHead: (head: TreeHead) => StoredHead = wireHead;

/** A head as it was stored. Whether it is one that was signed is for its note to tell. */
export function headOf([topic, partition, size, root, generation]: StoredHead): TreeHead {
  return { topic, partition, size, root: Buffer.from(root, 'base64'), ...(generation ? { generation } : {}) };
}

/** Adds a checkpoint's heads to those of the one before. */
export function withHeads(heads: Map<string, TreeHead>, record: CheckpointRecord): Map<string, TreeHead> {
  const all = record.full ? new Map<string, TreeHead>() : heads;
  for (const head of record.heads.map(headOf)) all.set(headName(head), head);
  return all;
}

/** Where checkpoints are kept, by number. */
export interface CheckpointStore {
  /** Undefined: there is none yet. Cheap where nothing is new since the last call. */
  newest(): Promise<NewestCheckpoint | undefined>;
  /** The checkpoint of a number with the heads that it covers; undefined if there is none. */
  at(number: number): Promise<NewestCheckpoint | undefined>;
  /** All of them from this number on (0 if it is left out), oldest first. */
  records(from?: number): AsyncIterable<CheckpointRecord>;
  /** Keeps it durably where its number is the next; `taken` where another signer was faster. */
  append(record: CheckpointRecord): Promise<'kept' | 'taken'>;
  close(): Promise<void>;
}
