import { rm } from 'node:fs/promises';
import path from 'node:path';
import { CheckpointFolder, TileFolder, treeName } from '@countersign/evidence';
import {
  type Cut,
  GrowingTree,
  HASH_BYTES,
  HeadsLog,
  type NoteSigner,
  nextCut,
  noteSigner,
  openCheckpoint,
  signCheckpoint,
  type TreeHead,
  wireHead,
} from '@countersign/proofs';
import { KeyRing } from '@countersign/store';

/** The key with which an embedded installation signs its checkpoints, as the owner of its disk has it. */
export async function ownersKey(dataDir: string, note: string): Promise<NoteSigner> {
  const keys = await KeyRing.fromFile(path.join(dataDir, 'keys.json'));
  return noteSigner(note.split('\n')[0] as string, keys.seed('audit-signer'));
}

/**
 * The attack from the audit, on the folders of a stopped installation: an old record's leaf is replaced, the tiles are rebuilt over it,
 * and only the next checkpoint is signed over the new head.
 */
export async function rewriteRecord(
  dataDir: string,
  tree: { topic: string; partition: number },
  offset: number,
  leaf: Buffer,
): Promise<void> {
  const audit = path.join(dataDir, 'audit');
  const checkpoints = new CheckpointFolder(path.join(audit, 'checkpoints'));
  const newest = await checkpoints.newest();
  if (!newest) throw new Error('nothing is signed yet');
  const head = newest.heads.get(treeName(tree.topic, tree.partition)) as TreeHead;
  const root = await replaceLeaf(path.join(audit, 'trees'), head, offset, leaf);
  const forged = { ...head, size: head.size + 1, root };
  const signer = await ownersKey(dataDir, newest.record.note);
  const before = HeadsLog.empty();
  for await (const { time_ms, heads, cut } of checkpoints.records()) before.appendHeads(time_ms, heads.map(headOf), cut);
  const cut: Cut = { number: nextCut(newest.record.cut), state: 'closed' };
  before.appendHeads(newest.record.time_ms + 1000, [forged], cut);
  const { number, time_ms, trees, heads_root } = before.lastEntry as NonNullable<HeadsLog['lastEntry']>;
  const note = signCheckpoint({ size: before.size, root: before.root() }, signer);
  if (!openCheckpoint(newest.record.note, signer.verifier)) throw new Error('this is not the key of the log');
  await checkpoints.append({
    number,
    time_ms,
    trees,
    heads_root: heads_root.toString('base64'),
    full: false,
    heads: [wireHead(forged)],
    note,
    cut,
  });
  await checkpoints.close();
}

const headOf = ([topic, partition, size, root]: ReturnType<typeof wireHead>): TreeHead => ({
  topic,
  partition,
  size,
  root: Buffer.from(root, 'base64'),
});

/** Rebuilds the tree's tiles with a replaced leaf and one additional leaf. Returns the root over all of them. */
async function replaceLeaf(trees: string, { topic, partition, size }: TreeHead, offset: number, leaf: Buffer): Promise<Buffer> {
  const name = treeName(topic, partition);
  const tiles = new TileFolder(trees);
  const leaves: Buffer[] = [];
  for (let index = 0; leaves.length < size; index++) {
    const tile = await tiles.read(name, 0, index);
    if (tile.length === 0) throw new Error(`${name} has no tile ${index}`);
    for (let at = 0; at < tile.length; at += HASH_BYTES) leaves.push(tile.subarray(at, at + HASH_BYTES));
  }
  const forged = [...leaves.slice(0, size), leaf];
  forged[offset] = leaf;
  await rm(path.join(trees, name), { recursive: true });
  const tree = new GrowingTree();
  const written = new TileFolder(trees);
  for (const part of tree.append(Buffer.concat(forged))) await written.append(name, part);
  return tree.root();
}
