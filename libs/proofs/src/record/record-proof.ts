import { isIncluded, rootFromInclusion } from '../merkle/verify.js';
import { openCheckpoint } from '../note/checkpoint.js';
import { cosignedAt } from '../note/cosignature.js';
import type { NoteVerifier } from '../note/note-key.js';
import { checkedBy, type Witness, type WitnessChecks } from '../note/witness-key.js';
import { type RecordToCover, recordHash } from './record-leaf.js';
import { strictBase64 } from './strict-base64.js';
import { entryHash, type Generation, headHash, readGeneration } from './tree-heads.js';
import { leafIndex } from './tree-spans.js';

/** The wire form of the proof from a record to a signed checkpoint: hashes in base64, audit paths lowest first. */
export interface RecordProof {
  /** The tree of the record's partition at the checkpoint, and the record's path in it; `generation` if it is not the original tree. */
  tree: { size: number; path: string[]; generation?: Generation };
  /** The position of that tree among the heads of all partitions. */
  head: { index: number; path: string[] };
  /** The entry with the root of the heads, and its path in the tree that the checkpoint signs. */
  entry: { number: number; time_ms: number; trees: number; path: string[] };
  /** C2SP signed note. */
  checkpoint: string;
}

export interface Trust {
  log: NoteVerifier;
  /** Every one of them must have cosigned the checkpoint. */
  witnesses: readonly Witness[];
}

export type Verdict = { kind: 'proven'; checkpoint_size: number; time_ms: number } | { kind: 'refused'; reason: string };

const refused = (reason: string): Verdict => ({ kind: 'refused', reason });
const hashes = (path: readonly string[]) => path.map(strictBase64);

/** A checkpoint with verified signatures. */
export interface TrustedCheckpoint {
  size: number;
  root: Buffer;
  /** The trusted witnesses that cosigned it, with the time (Unix seconds) and what each had checked. */
  cosigned: { name: string; checks: WitnessChecks; time_s: number }[];
}

/** Opens the checkpoint of a note that the log and every required witness signed; else returns the reason. */
export function openTrusted(note: string, { log, witnesses }: Trust): TrustedCheckpoint | string {
  const signed = openCheckpoint(note, log);
  if (!signed) return `the checkpoint is not signed by ${log.name}`;
  const cosigned: TrustedCheckpoint['cosigned'] = [];
  for (const witness of witnesses) {
    const { name } = witness.key;
    const time_s = cosignedAt(signed.note, witness.key);
    if (time_s === undefined) return `the checkpoint is not cosigned by ${name}`;
    cosigned.push({ name, checks: checkedBy(witness, time_s), time_s });
  }
  return { size: signed.size, root: signed.root, cosigned };
}

/** Like verifyRecord, under an already opened checkpoint. */
export function verifyUnder(record: RecordToCover, proof: Omit<RecordProof, 'checkpoint'>, signed: TrustedCheckpoint): Verdict {
  try {
    return verdict(record, proof, signed);
  } catch {
    return refused('the proof cannot be read');
  }
}

/**
 * Verifies that the record, byte for byte, is at its position on the log that the checkpoint signs. Never throws: unreadable input is
 * refused. Trusts only the keys.
 */
export function verifyRecord(record: RecordToCover, proof: RecordProof, trust: Trust): Verdict {
  const signed = openTrusted(String(proof.checkpoint), trust);
  return typeof signed === 'string' ? refused(signed) : verifyUnder(record, proof, signed);
}

function verdict(record: RecordToCover, { tree, head, entry }: Omit<RecordProof, 'checkpoint'>, signed: TrustedCheckpoint): Verdict {
  const generation = tree.generation === undefined ? {} : { generation: readGeneration(tree.generation) };
  const root = rootFromInclusion(recordHash(record), leafIndex(generation, record.offset), tree.size, hashes(tree.path));
  if (!root) return refused('the path of the record does not fit its offset and the size of its tree');
  const { topic, partition } = record;
  const own = { topic, partition, size: tree.size, root, ...generation };
  const heads_root = rootFromInclusion(headHash(own), head.index, entry.trees, hashes(head.path));
  if (!heads_root) return refused('the path of the tree does not fit its place among the trees');
  const { number, time_ms, trees } = entry;
  // A witness may have skipped an earlier entry, but it checked the heads of the last one when it cosigned.
  if (number !== signed.size - 1) return refused(`entry ${number} is not the last entry of the checkpoint, which is ${signed.size - 1}`);
  const leaf = entryHash({ number, time_ms, trees, heads_root });
  if (!isIncluded(leaf, number, signed, hashes(entry.path))) return refused('the record differs from what the checkpoint covers');
  return { kind: 'proven', checkpoint_size: signed.size, time_ms };
}
