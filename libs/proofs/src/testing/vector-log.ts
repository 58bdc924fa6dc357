import type { RecordToCover } from '@countersign/verifier';
import { wireHead } from '../heads/served-entries.js';
import { rootOf } from '../merkle/tree.js';
import { cosign } from '../note/cosignature.js';
import { COSIGNATURE_V1, type NoteSigner, noteSigner } from '../note/note-key.js';
import { type Generation, headHash, type TreeHead } from '../record/tree-heads.js';
import { smallLogSigner, smallRecord } from './small-log.js';
import { recordVector, text, treeVector, VectorEntries, type VectorEntry, type VectorTree, vectorTree } from './vector-parts.js';

const witness = noteSigner('witness.example', Buffer.alloc(32, 9), COSIGNATURE_V1);
const COSIGNED_AT_S = 1_790_000_200;
const DECISIONS = ['policy-decided', 0] as const;
const EXECUTED = ['tool-executed', 2] as const;
const ENTRIES: readonly VectorEntry[] = [
  { time_ms: 1_790_000_080_000, sizes: [1, 2] },
  { time_ms: 1_790_000_090_000, sizes: [1, 5] },
  { time_ms: 1_790_000_100_000, sizes: [3, 5] },
];
const GENERATION: Generation = { number: 2, base_offset: 3, decision: '0199a1b2-0000-7000-8000-000000000001' };

/** Of one record: headers that are not sorted yet, and texts in which bytes are not characters. */
function odd(topic: string, offset: number): Partial<RecordToCover> {
  if (topic !== DECISIONS[0] || offset !== 1) return {};
  return { key: 'clé-1', headers: { traceparent: '00-ab-cd-01', 'x-é': '', event_type: 'policy_decided' } };
}

function treeOf([topic, partition]: readonly [string, number], size: number): VectorTree {
  const records = Array.from({ length: size }, (_, offset) => ({ ...smallRecord(offset, topic), partition, ...odd(topic, offset) }));
  return vectorTree(topic, partition, records);
}

const trees = [treeOf(DECISIONS, 3), treeOf(EXECUTED, 5)];
const log = new VectorEntries(trees, ENTRIES, smallLogSigner);

const keyVector = ({ verifier: { name, type, vkey } }: NoteSigner, seed: number) => ({
  name,
  type,
  seed: Buffer.alloc(32, seed).toString('hex'),
  vkey,
});

/** The proof of the last record under the last checkpoint, cosigned. */
async function proofVector(note: string) {
  const last = trees[1]?.records[4] as RecordToCover;
  const { leaf: _, hash, ...record } = recordVector(last);
  return {
    vkey: smallLogSigner.verifier.vkey,
    witness: witness.verifier.vkey,
    record,
    leaf: Buffer.from(hash, 'base64').toString('hex'),
    proof: { ...(await log.paths(last)), checkpoint: note + cosign(note.slice(0, note.indexOf('\n\n') + 1), COSIGNED_AT_S, witness) },
  };
}

/** A head in a later generation, whose leaf has more lines. */
async function generationVector() {
  const { subtree } = trees[1] as VectorTree;
  const head: TreeHead = { topic: EXECUTED[0], partition: EXECUTED[1], size: 2, root: await rootOf(subtree, 2), generation: GENERATION };
  return { head: wireHead(head), hash: text(headHash(head)) };
}

/** A log of two trees and three checkpoints with each intermediate hash: the test vectors of docs/reference/proofs.md, by name. */
export async function vectorLog() {
  const checkpoints = await log.checkpoints();
  return {
    keys: { log: keyVector(smallLogSigner, 7), witness: keyVector(witness, 9) },
    records: trees.flatMap(({ records }) => records.map(recordVector)),
    trees: trees.map(treeVector),
    entries: await log.shown(),
    generation: await generationVector(),
    checkpoints,
    proof: await proofVector(checkpoints.notes[2]?.note as string),
  };
}
