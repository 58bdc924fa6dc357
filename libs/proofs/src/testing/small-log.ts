import type { RecordProof, RecordToCover } from '@countersign/verifier';
import { inclusionProof } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import { type NoteSigner, noteSigner } from '../note/note-key.js';
import { recordHash } from '../record/record-leaf.js';
import { entryHash, headProof, headsRoot, sortedHeads } from '../record/tree-heads.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { subtreesOf } from '../tiles/tile-hashes.js';

export const smallLogSigner: NoteSigner = noteSigner('countersign.example/log', Buffer.alloc(32, 7));

const text = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('base64'));

export const smallRecord = (offset: number, topic = 'tool-executed'): RecordToCover => ({
  topic,
  partition: 2,
  offset,
  timestamp_ms: 1_790_000_000_000 + offset,
  key: offset % 3 === 0 ? null : `key-${offset}`,
  headers: { event_type: 'tool_executed', traceparent: '00-ab-cd-01' },
  value: Buffer.from(`value ${offset}`),
});

async function treeOf(records: readonly RecordToCover[]) {
  const tiles = new Map<string, Buffer>();
  const tree = new GrowingTree();
  for (const { level, index, hashes } of tree.append(Buffer.concat(records.map(recordHash)))) {
    tiles.set(`${level}/${index}`, Buffer.concat([tiles.get(`${level}/${index}`) ?? Buffer.alloc(0), hashes]));
  }
  return { root: await tree.root(), subtrees: subtreesOf(async (level, index) => tiles.get(`${level}/${index}`) ?? Buffer.alloc(0)) };
}

/** A log with two partitions and three checkpoint entries; proofs lead to the last entry. */
export async function smallLog(size: number) {
  const records = Array.from({ length: size }, (_, offset) => smallRecord(offset));
  const own = await treeOf(records);
  const heads = sortedHeads([
    { topic: 'tool-executed', partition: 2, size, root: own.root },
    { topic: 'policy-decided', partition: 0, size: 3, root: (await treeOf([0, 1, 2].map((n) => smallRecord(n, 'policy-decided')))).root },
  ]);
  const at = heads.findIndex(({ topic }) => topic === 'tool-executed');
  const entry = { number: 2, time_ms: 1_790_000_100_000, trees: heads.length, heads_root: await headsRoot(heads) };
  const earlier = [0, 1].map((number) => entryHash({ ...entry, number, heads_root: Buffer.alloc(32, number) }));
  const tiles = Buffer.concat([...earlier, entryHash(entry)]);
  const entries = new GrowingTree();
  entries.append(tiles);
  const checkpoint = signCheckpoint({ size: 3, root: await entries.root() }, smallLogSigner);
  const proofOf = async (offset: number): Promise<RecordProof> => ({
    tree: { size, path: text(await inclusionProof(own.subtrees, offset, size)) },
    head: { index: at, path: text(await headProof(heads, at)) },
    entry: {
      number: 2,
      time_ms: entry.time_ms,
      trees: heads.length,
      path: text(
        await inclusionProof(
          subtreesOf(async () => tiles),
          2,
          3,
        ),
      ),
    },
    checkpoint,
  });
  return { records, proofOf };
}
