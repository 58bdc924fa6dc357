import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { followEntries, GrowingTree, HeadsLog, leafHash, noteSigner, type ServedEntries, type TreeMove } from '@countersign/proofs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CheckpointFolder } from './checkpoints/checkpoint-folder.js';
import { TextFile } from './checkpoints/kept-text.js';
import { CheckpointSigner } from './checkpoints/signer.js';
import { readDecision } from './damage/decision-record.js';
import { EntriesReader } from './entries-reader.js';
import { BrokenRecord } from './trees/broken-record.js';
import { TileFolder } from './trees/tile-folder.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 1));
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'entries-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const parts = () => ({
  checkpoints: new CheckpointFolder(path.join(dir, 'checkpoints')),
  tiles: new TileFolder(path.join(dir, 'trees')),
  signer,
  checked: new TextFile(path.join(dir, 'checked.json')),
});
const reader = () => new EntriesReader(parts().checkpoints, parts().tiles, signer.verifier);

/** Two trees: each checkpoint moves the first by 3 leaves, and every fifth also the second. */
async function sign(count: number): Promise<void> {
  const own = parts();
  const { signer: signing } = await CheckpointSigner.resume(own);
  const trees = [new GrowingTree(), new GrowingTree()];
  for (let number = 0; number < count; number++) {
    const moves: TreeMove[] = [];
    for (const [partition, tree] of trees.entries()) {
      if (partition === 1 && number % 5 > 0) continue;
      const leaves = [0, 1, 2].map((n) => leafHash(Buffer.from(`${partition}/${tree.size + n}`)));
      for (const part of tree.append(Buffer.concat(leaves))) await own.tiles.append(`records/${partition}`, part);
      moves.push({ head: { topic: 'records', partition, size: tree.size, root: await tree.root() }, path: await tree.sinceMark() });
      tree.mark();
    }
    expect(await signing.sign(moves, 1_790_000_000_000 + number)).toBe('kept');
  }
  await own.checkpoints.close();
}

async function follow(first: HeadsLog, second?: number): Promise<{ log: HeadsLog; pages: ServedEntries[] }> {
  let log = first;
  const pages: ServedEntries[] = [];
  for (;;) {
    const answer = await reader().entries(log.size, second);
    if (answer.kind !== 'found') throw new Error(answer.kind === 'broken' ? answer.reason : 'not found');
    if (answer.found.entries.length === 0) return { log, pages };
    pages.push(answer.found);
    const followed = followEntries(log, answer.found, { log: signer.verifier, readDecision });
    if (followed.kind === 'refused') throw new Error(followed.reason);
    log = followed.log;
    if (log.size === second) return { log, pages };
  }
}

test('entries are served in pages, in order, across full checkpoints, up to the requested size', async () => {
  await sign(1010);
  const { log, pages } = await follow(HeadsLog.empty());
  expect([log.size, pages.length]).toEqual([1010, 4]);
  expect(log.head({ topic: 'records', partition: 0 })?.size).toBe(3030);
  expect(log.head({ topic: 'records', partition: 1 })?.size).toBe(606);
  const some = await follow(HeadsLog.empty(), 7);
  expect([some.log.size, some.pages.length, some.pages[0]?.entries.length]).toEqual([7, 1, 7]);
  expect((await follow(some.log)).log.root()).toEqual(log.root());
  const heads = await reader().heads(7);
  expect(heads).toMatchObject({ kind: 'found', found: { entry: { number: 6 }, heads: [expect.anything(), expect.anything()] } });
  expect(await reader().heads(5000)).toEqual({ kind: 'not_found' });
  expect(await reader().entries(5000)).toEqual({ kind: 'not_found' });
  expect(await reader().entries(5, 5)).toEqual({ kind: 'not_found' });
});

test('entries that tiles do not prove are not served', async () => {
  await sign(120);
  const tree = path.join(dir, 'trees', 'records', '0');
  for (const name of await readdir(tree, { recursive: true })) {
    const file = path.join(tree, name);
    if (!(await stat(file)).isFile()) continue;
    const hashes = await readFile(file);
    hashes.writeUInt8(hashes.readUInt8(5) ^ 1, 5);
    await writeFile(file, hashes);
  }
  expect(await reader().entries(0)).toMatchObject({ kind: 'broken', reason: expect.stringContaining('records/0') });
  expect(await reader().heads()).toMatchObject({ kind: 'found' });
  await rm(path.join(dir, 'trees', 'checkpoints'), { recursive: true });
  expect(await reader().heads(50)).toMatchObject({ kind: 'broken' });
});

test('a signer refuses a tree that does not continue what it signed', async () => {
  await sign(3);
  const root = Buffer.alloc(32, 1);
  const at = async (size: number, partition = 0) => {
    const { signer: signing } = await CheckpointSigner.resume(parts());
    return signing.sign([{ head: { topic: 'records', partition, size, root }, path: [] }], 1);
  };
  for (const size of [9, 8, 12]) await expect(at(size)).rejects.toThrow(BrokenRecord);
  expect((await parts().checkpoints.newest())?.record.number).toBe(2);
  expect(await at(3, 5)).toBe('kept');
});

test('a start checks what was signed since the mark, and the mark moves with new checkpoints', async () => {
  await sign(300);
  const mark = async () => JSON.parse((await parts().checked.read()) ?? '{}') as { size?: number };
  expect((await mark()).size).toBe(256);
  await CheckpointSigner.resume(parts());
  expect((await mark()).size).toBe(300);
  await parts().checked.replace(await parts().checked.read(), '{"size":');
  await CheckpointSigner.resume(parts());
  expect((await mark()).size).toBe(300);
  await parts().checked.replace(await parts().checked.read(), JSON.stringify({ size: 200, note: 'another' }));
  await expect(CheckpointSigner.resume(parts())).rejects.toThrow('checkpoint 200 differs from the one that was signed');
});
