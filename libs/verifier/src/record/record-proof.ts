import { prefixedRecordLeaf, type RecordToCover } from '@countersign/contracts/record-leaf';
import { strictBase64 } from '../bytes/base64.js';
import { equalBytes } from '../bytes/bytes.js';
import { isCount } from '../bytes/count.js';
import type { TreeHashing } from '../merkle/tree-hashing.js';
import { rootFromInclusion } from '../merkle/verify.js';
import { openTrusted, type Trust, type TrustedCheckpoint } from '../note/trust.js';
import { type Cut, readCut } from './cut.js';
import { entryHash, type Generation, headHash, leafIndex, readGeneration } from './tree-heads.js';

/** The wire form of the proof from a record to a signed checkpoint: hashes in base64, audit paths lowest first. */
export interface RecordProof {
  /** The tree of the record's partition at the checkpoint, and the record's path in it; `generation` if it is not the original tree. */
  tree: { size: number; path: string[]; generation?: Generation };
  /** The position of that tree among the heads of all partitions. */
  head: { index: number; path: string[] };
  /** The entry with the root of the heads, and its path in the tree that the checkpoint signs. */
  entry: { number: number; time_ms: number; trees: number; path: string[]; cut?: Cut };
  /** C2SP signed note. */
  checkpoint: string;
}

export type RecordPaths = Omit<RecordProof, 'checkpoint'>;

/** `cut`: that of the checkpoint, which is the record's own or a later one. */
export type Verdict = { kind: 'proven'; checkpoint_size: number; time_ms: number; cut?: Cut } | { kind: 'refused'; reason: string };

/** The steps from a record to the signed root, in order. */
export type ProofStep = 'record_path' | 'tree_path' | 'last_entry' | 'entry_path';

/** What was computed on the way from a record to the signed root, as far as it came. */
export interface RecordTrace {
  /** Hash of the record's leaf. */
  leaf?: Uint8Array;
  /** Root of the tree of the record's partition, from the leaf and its path. */
  tree_root?: Uint8Array;
  /** Root over the heads of all trees, from that root and its path. */
  heads_root?: Uint8Array;
  /** Root of the tree that checkpoints sign, from the entry and its path. */
  root?: Uint8Array;
  /** The first step that failed; absent if the record is proven. */
  failed?: { step: ProofStep | undefined; reason: string };
}

const refused = (reason: string): Verdict => ({ kind: 'refused', reason });
const hashes = (path: readonly string[]) => path.map(strictBase64);
const isText = (value: unknown): boolean => typeof value === 'string';

/** Whether each field has its type: the text `01` would have the leaf of the number 1, and be another place. */
function isTyped({ topic, partition, offset, timestamp_ms, key, headers }: RecordToCover, { entry }: RecordPaths): boolean {
  return (
    [partition, offset, timestamp_ms, entry.time_ms].every(isCount) &&
    [topic, ...(key === null ? [] : [key]), ...Object.values(headers)].every(isText)
  );
}

/** Computes each step from the record to the root of an opened checkpoint. Never throws: unreadable input is a failed step. */
export function traceRecord(hashing: TreeHashing, record: RecordToCover, proof: RecordPaths, signed: TrustedCheckpoint): RecordTrace {
  const trace: RecordTrace = {};
  try {
    const failed = follow(hashing, record, proof, signed, trace);
    if (failed) trace.failed = failed;
  } catch {
    trace.failed = { step: undefined, reason: 'the proof cannot be read' };
  }
  return trace;
}

function follow(
  hashing: TreeHashing,
  record: RecordToCover,
  proof: RecordPaths,
  signed: TrustedCheckpoint,
  trace: RecordTrace,
): RecordTrace['failed'] {
  if (!isTyped(record, proof)) return { step: undefined, reason: 'a field of the record or its entry is of another type' };
  const { tree, head, entry } = proof;
  const generation = tree.generation === undefined ? {} : { generation: readGeneration(tree.generation) };
  trace.leaf = hashing.prefixedLeaf(prefixedRecordLeaf(record));
  const index = leafIndex(generation, record.offset);
  trace.tree_root = rootFromInclusion(hashing, trace.leaf, { index, size: tree.size }, hashes(tree.path));
  if (!trace.tree_root) return { step: 'record_path', reason: 'the path of the record does not fit its offset and the size of its tree' };
  const { topic, partition } = record;
  const own = headHash(hashing, { topic, partition, size: tree.size, root: trace.tree_root, ...generation });
  trace.heads_root = rootFromInclusion(hashing, own, { index: head.index, size: entry.trees }, hashes(head.path));
  if (!trace.heads_root) return { step: 'tree_path', reason: 'the path of the tree does not fit its place among the trees' };
  const { number, time_ms, trees } = entry;
  // A witness may have skipped an earlier entry, but it checked the heads of the last one when it cosigned.
  if (number !== signed.size - 1)
    return { step: 'last_entry', reason: `entry ${number} is not the last entry of the checkpoint, which is ${signed.size - 1}` };
  const cut = entry.cut === undefined ? {} : { cut: readCut(entry.cut) };
  const leaf = entryHash(hashing, { number, time_ms, trees, heads_root: trace.heads_root, ...cut });
  trace.root = rootFromInclusion(hashing, leaf, { index: number, size: signed.size }, hashes(entry.path));
  if (trace.root && equalBytes(trace.root, signed.root)) return undefined;
  return { step: 'entry_path', reason: 'the record differs from what the checkpoint covers' };
}

/** Verifies a record under an already opened checkpoint. */
export function verifyUnder(hashing: TreeHashing, record: RecordToCover, proof: RecordPaths, signed: TrustedCheckpoint): Verdict {
  const { failed } = traceRecord(hashing, record, proof, signed);
  if (failed) return refused(failed.reason);
  const { time_ms, cut } = proof.entry;
  return { kind: 'proven', checkpoint_size: signed.size, time_ms, ...(cut ? { cut } : {}) };
}

/**
 * Verifies that the record, byte for byte, is at its position on the log that the checkpoint signs. Never throws: unreadable input is
 * refused. Trusts only the keys.
 */
export function verifyRecord(hashing: TreeHashing, record: RecordToCover, proof: RecordProof, trust: Trust): Verdict {
  const signed = openTrusted(String(proof.checkpoint), trust);
  return typeof signed === 'string' ? refused(signed) : verifyUnder(hashing, record, proof, signed);
}
