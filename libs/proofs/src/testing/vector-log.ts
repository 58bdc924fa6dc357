import { prefixedRecordLeaf, type RecordToCover } from '@countersign/verifier';
import { HeadsLog } from '../heads/heads-log.js';
import { type WireMove, wireHead, wireMove } from '../heads/served-entries.js';
import { nodeHash } from '../merkle/hashing.js';
import { consistencyProof, inclusionProof, rootOf, type SubtreeHash } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import { cosign } from '../note/cosignature.js';
import { COSIGNATURE_V1, type NoteSigner, noteSigner } from '../note/note-key.js';
import { recordHash } from '../record/record-leaf.js';
import { entryHash, type Generation, headHash, headProof, headsRoot, type TreeHead } from '../record/tree-heads.js';
import { smallLogSigner, smallRecord } from './small-log.js';

const witness = noteSigner('witness.example', Buffer.alloc(32, 9), COSIGNATURE_V1);
const COSIGNED_AT_S = 1_790_000_200;
const DECISIONS = ['policy-decided', 0] as const;
const EXECUTED = ['tool-executed', 2] as const;
/** Time of each entry, and the sizes of the trees in it. */
const ENTRIES = [
  { time_ms: 1_790_000_080_000, sizes: [1, 2] },
  { time_ms: 1_790_000_090_000, sizes: [1, 5] },
  { time_ms: 1_790_000_100_000, sizes: [3, 5] },
] as const;
const GENERATION: Generation = { number: 2, base_offset: 3, decision: '0199a1b2-0000-7000-8000-000000000001' };

const text = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');
const texts = (hashes: readonly Buffer[]): string[] => hashes.map(text);

/** The complete subtrees over some leaf hashes, lowest level first. */
function levelsOf(leaves: readonly Buffer[]): Buffer[][] {
  const levels = [[...leaves]];
  for (let below = levels[0] as Buffer[]; below.length > 1; below = levels.at(-1) as Buffer[]) {
    const pairs = Array.from({ length: Math.floor(below.length / 2) }, (_, at) => below.slice(2 * at, 2 * at + 2) as [Buffer, Buffer]);
    levels.push(pairs.map(([left, right]) => nodeHash(left, right)));
  }
  return levels;
}

const subtreesIn =
  (levels: readonly (readonly Buffer[])[]): SubtreeHash =>
  async (level, index) =>
    levels[level]?.[index] as Buffer;

/** Of one record: headers that are not sorted yet, and texts in which bytes are not characters. */
function odd(topic: string, offset: number): Partial<RecordToCover> {
  if (topic !== DECISIONS[0] || offset !== 1) return {};
  return { key: 'clé-1', headers: { traceparent: '00-ab-cd-01', 'x-é': '', event_type: 'policy_decided' } };
}

/** A tree with the hashes of its complete subtrees. */
function treeOf([topic, partition]: readonly [string, number], size: number) {
  const records = Array.from(
    { length: size },
    (_, offset): RecordToCover => ({ ...smallRecord(offset, topic), partition, ...odd(topic, offset) }),
  );
  const levels = levelsOf(records.map(recordHash));
  return { topic, partition, records, levels, subtree: subtreesIn(levels) };
}

const trees = [treeOf(DECISIONS, 3), treeOf(EXECUTED, 5)];

const headsAt = (sizes: readonly number[]): Promise<TreeHead[]> =>
  Promise.all(
    trees.map(async ({ topic, partition, subtree }, at) => {
      const size = sizes[at] as number;
      return { topic, partition, size, root: await rootOf(subtree, size) };
    }),
  );

async function movesOf(number: number, heads: readonly TreeHead[]): Promise<WireMove[]> {
  const moves: WireMove[] = [];
  for (const [at, head] of heads.entries()) {
    const before = ENTRIES[number - 1]?.sizes[at] ?? 0;
    const { subtree } = trees[at] as (typeof trees)[number];
    if (before < head.size) moves.push(wireMove(head, before === 0 ? [] : await consistencyProof(subtree, before, head.size)));
  }
  return moves;
}

const keyVector = ({ verifier: { name, type, vkey } }: NoteSigner, seed: number) => ({
  name,
  type,
  seed: Buffer.alloc(32, seed).toString('hex'),
  vkey,
});

const recordVector = ({ value, ...record }: RecordToCover) => {
  const leaf = Buffer.from(prefixedRecordLeaf({ ...record, value })).subarray(1);
  return { ...record, value: text(value), leaf: leaf.toString('hex'), hash: text(recordHash({ ...record, value })) };
};

async function entryVector(number: number) {
  const { time_ms, sizes } = ENTRIES[number] as (typeof ENTRIES)[number];
  const heads = await headsAt(sizes);
  const heads_root = await headsRoot(heads);
  return {
    number,
    time_ms,
    moved: await movesOf(number, heads),
    heads: heads.map((head) => ({ head: wireHead(head), hash: text(headHash(head)) })),
    heads_root: text(heads_root),
    hash: text(entryHash({ number, time_ms, trees: heads.length, heads_root })),
  };
}

/** The note of each checkpoint, signed by what the heads of all entries add up to. */
async function signedNotes(): Promise<{ size: number; root: string; note: string }[]> {
  const log = HeadsLog.empty();
  const notes = [];
  for (const { time_ms, sizes } of ENTRIES) {
    log.appendHeads(time_ms, await headsAt(sizes));
    const checkpoint = { size: log.size, root: log.root() };
    notes.push({ size: log.size, root: text(log.root()), note: signCheckpoint(checkpoint, smallLogSigner) });
  }
  return notes;
}

/** The proof of the last record under the last checkpoint, cosigned. */
async function proofVector(entries: SubtreeHash, note: string) {
  const { time_ms, sizes } = ENTRIES[2];
  const heads = await headsAt(sizes);
  const { records, subtree } = trees[1] as (typeof trees)[number];
  const { leaf: _, hash, ...record } = recordVector(records[4] as RecordToCover);
  return {
    vkey: smallLogSigner.verifier.vkey,
    witness: witness.verifier.vkey,
    record,
    leaf: Buffer.from(hash, 'base64').toString('hex'),
    proof: {
      tree: { size: 5, path: texts(await inclusionProof(subtree, 4, 5)) },
      head: { index: 1, path: texts(await headProof(heads, 1)) },
      entry: { number: 2, time_ms, trees: heads.length, path: texts(await inclusionProof(entries, 2, 3)) },
      checkpoint: note + cosign(note.slice(0, note.indexOf('\n\n') + 1), COSIGNED_AT_S, witness),
    },
  };
}

/** A head in a later generation, whose leaf has more lines. */
async function generationVector() {
  const { subtree } = trees[1] as (typeof trees)[number];
  const head: TreeHead = { topic: EXECUTED[0], partition: EXECUTED[1], size: 2, root: await rootOf(subtree, 2), generation: GENERATION };
  return { head: wireHead(head), hash: text(headHash(head)) };
}

/** A log of two trees and three checkpoints with each intermediate hash: the test vectors of docs/reference/proofs.md, by name. */
export async function vectorLog() {
  const entries = await Promise.all(ENTRIES.map((_, number) => entryVector(number)));
  const levels = levelsOf(entries.map(({ hash }) => Buffer.from(hash, 'base64')));
  const checkpoints = await signedNotes();
  return {
    keys: { log: keyVector(smallLogSigner, 7), witness: keyVector(witness, 9) },
    records: trees.flatMap(({ records }) => records.map(recordVector)),
    trees: trees.map(({ topic, partition, levels }) => ({ topic, partition, levels: levels.map(texts) })),
    entries,
    generation: await generationVector(),
    checkpoints: {
      levels: levels.map(texts),
      notes: checkpoints,
      consistency: {
        '1 to 3': texts(await consistencyProof(subtreesIn(levels), 1, 3)),
        '2 to 3': texts(await consistencyProof(subtreesIn(levels), 2, 3)),
      },
    },
    proof: await proofVector(subtreesIn(levels), checkpoints[2]?.note as string),
  };
}
