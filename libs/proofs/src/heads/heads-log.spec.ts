import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Frontier } from '../merkle/frontier.js';
import { EMPTY_ROOT, leafHash } from '../merkle/hashing.js';
import { inclusionProof, rootOf } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import { noteSigner } from '../note/note-key.js';
import { headsRoot, type TreeHead } from '../record/tree-heads.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { coveredHeads, type FollowTerms, followEntries, openHeads } from './follow-entries.js';
import { HeadsLog } from './heads-log.js';
import { type ServedEntries, type TreeMove, wireMove } from './served-entries.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 7));
const log = signer.verifier;
const terms: FollowTerms = { log, readDecision: () => undefined };
const leaf = (n: number) => leafHash(Buffer.from(String(n)));

/** A tree that grows by so many leaves at a time, with its moves. */
async function movesOf(topic: string, sizes: readonly number[]): Promise<TreeMove[]> {
  const tree = new GrowingTree();
  const moves: TreeMove[] = [];
  for (const size of sizes) {
    tree.append(Buffer.concat(Array.from({ length: size - tree.size }, (_, n) => leaf(tree.size + n))));
    moves.push({ head: { topic, partition: 0, size, root: await tree.root() }, path: await tree.sinceMark() });
    tree.mark();
  }
  return moves;
}

const entryOf = (number: number, moves: readonly TreeMove[]) => ({
  number,
  time_ms: number,
  moved: moves.map(({ head, path }) => wireMove(head, path)),
});

/** Two trees over four entries: one signed page with all entries. */
async function honestPage(): Promise<ServedEntries> {
  const [a, b] = [await movesOf('a', [3, 700, 701, 1500]), await movesOf('b', [5, 9])];
  const steps = [[a[0], b[0]], [a[1]], [a[2], b[1]], [a[3]]] as TreeMove[][];
  const at = HeadsLog.empty();
  for (const [number, moves] of steps.entries()) expect(at.append({ number, time_ms: number, moves })).toEqual([]);
  return {
    first: 0,
    entries: steps.map((moves, number) => entryOf(number, moves)),
    checkpoint: signCheckpoint({ size: 4, root: at.root() }, signer),
  };
}

describe('a frontier', () => {
  test('has the root of its leaves at every size, and can be rebuilt from the path of the last leaf', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (size) => {
        const tree = Frontier.empty();
        for (let n = 0; n < size; n++) tree.append(leaf(n));
        const subtree = async (level: number, index: number): Promise<Buffer> => {
          const part = Frontier.empty();
          for (let n = 0; n < 2 ** level; n++) part.append(leaf(index * 2 ** level + n));
          return part.root();
        };
        expect(tree.root().equals(await rootOf(subtree, size))).toBe(true);
        const path = await inclusionProof(subtree, size - 1, size);
        const again = Frontier.beforeLast(size - 1, path) as Frontier;
        expect(again.pathOfNext()).toEqual(path);
        again.append(leaf(size - 1));
        expect(again.root().equals(tree.root())).toBe(true);
        expect(Frontier.beforeLast(size - 1, [...path, EMPTY_ROOT])).toBeUndefined();
      }),
      { numRuns: 60 },
    );
    expect(Frontier.empty().root()).toEqual(EMPTY_ROOT);
  });
});

describe('entries after a known state', () => {
  test('are accepted if every tree only grew, in one page or in several, also from a state that was written and read back', async () => {
    const page = await honestPage();
    expect(followEntries(HeadsLog.empty(), page, terms).kind).toBe('followed');
    const half = HeadsLog.empty();
    const first: ServedEntries = { ...page, entries: page.entries.slice(0, 2), checkpoint: '' };
    for (const { number, time_ms, moved } of first.entries) {
      const moves = moved.map(([topic, partition, size, root, path]) => ({
        head: { topic, partition, size, root: Buffer.from(root, 'base64') },
        path: path.map((hash) => Buffer.from(hash, 'base64')),
      }));
      expect(half.append({ number, time_ms, moves })).toEqual([]);
    }
    const note = signCheckpoint({ size: 2, root: half.root() }, signer);
    const again = openHeads(JSON.parse(JSON.stringify(coveredHeads(half, note))), log);
    expect(again).toMatchObject({ kind: 'followed', note });
    if (again.kind === 'refused') throw new Error(again.reason);
    expect(followEntries(again.log, { ...page, first: 2, entries: page.entries.slice(2) }, terms).kind).toBe('followed');
  });

  test('are refused after any single change', async () => {
    const page = await honestPage();
    const [, second, third] = page.entries as [unknown, ServedEntries['entries'][number], ServedEntries['entries'][number]];
    const [topic, partition, size, root, path] = second.moved[0] as ServedEntries['entries'][number]['moved'][number];
    const instead = (move: unknown[]) => ({
      entries: page.entries.map((entry) => (entry === second ? { ...entry, moved: [move] } : entry)),
    });
    const edits: [string, object][] = [
      ['another root', instead([topic, partition, size, leaf(1).toString('base64'), path])],
      ['a smaller size', instead([topic, partition, size - 1, root, path])],
      ['a size from before', instead([topic, partition, 3, root, []])],
      ['no proof', instead([topic, partition, size, root, []])],
      ['a proof that is too long', instead([topic, partition, size, root, [...path, root]])],
      ['a path that is no hash', instead([topic, partition, size, root, path.map(() => 'AAAA')])],
      ['another tree', instead(['c', partition, size, root, []])],
      ['a topic of two lines', instead(['a\n0', partition, size, root, path])],
      ['a partition that is no number', instead([topic, '0', size, root, path])],
      [
        'a tree twice',
        { entries: page.entries.map((entry) => (entry === second ? { ...entry, moved: [...second.moved, ...second.moved] } : entry)) },
      ],
      ['an entry left out', { entries: page.entries.filter((entry) => entry !== second) }],
      ['two entries exchanged', { entries: [page.entries[0], third, second, page.entries[3]] }],
      ['the last entry left out', { entries: page.entries.slice(0, 3) }],
      ['another time', { entries: page.entries.map((entry) => ({ ...entry, time_ms: entry.time_ms + 1 })) }],
      ['no time', { entries: page.entries.map((entry) => ({ ...entry, time_ms: 'now' })) }],
      ['no entries', { entries: [] }],
      ['another beginning', { first: 1 }],
      [
        'a note of an unknown signer',
        { checkpoint: signCheckpoint({ size: 4, root: leaf(1) }, noteSigner('log.example', Buffer.alloc(32, 8))) },
      ],
      ['a note of another root', { checkpoint: signCheckpoint({ size: 4, root: leaf(1) }, signer) }],
      ['nothing that can be read', { entries: null }],
    ];
    for (const [what, edit] of edits) {
      expect([what, followEntries(HeadsLog.empty(), { ...page, ...edit } as ServedEntries, terms).kind]).toEqual([what, 'refused']);
    }
  });

  test('must lead through a checkpoint that was seen before', async () => {
    const page = await honestPage();
    expect(followEntries(HeadsLog.empty(), page, { ...terms, passed: { size: 2, root: leaf(1) } })).toMatchObject({
      kind: 'refused',
      reason: 'checkpoint 2 differs from the one that was seen before',
    });
  });

  test('a refused page does not change the known state', async () => {
    const page = await honestPage();
    const seen = HeadsLog.empty();
    followEntries(seen, { ...page, checkpoint: '' }, terms);
    expect([seen.size, followEntries(seen, page, terms).kind]).toEqual([0, 'followed']);
  });

  test('a new tree has no past: it starts at size 0', async () => {
    const at = HeadsLog.empty();
    const [, grown] = (await movesOf('a', [3, 8])) as [TreeMove, TreeMove];
    expect(at.append({ number: 0, time_ms: 0, moves: [grown] })).toContain('does not continue what it was with 0');
    const none: TreeHead = { topic: 'a', partition: 0, size: 0, root: EMPTY_ROOT };
    expect(at.append({ number: 0, time_ms: 0, moves: [{ head: { ...none, root: leaf(1) }, path: [] }] })).toContain(
      'has no records and a root',
    );
    expect(at.append({ number: 0, time_ms: 0, moves: [{ head: none, path: [] }] })).toEqual([]);
    const [first] = (await movesOf('a', [3])) as [TreeMove];
    expect(at.append({ number: 1, time_ms: 0, moves: [first] })).toEqual([]);
    expect(at.append({ number: 2, time_ms: 0, moves: [{ head: none, path: [] }] })).toContain('no records');
  });
});

test('the heads of a checkpoint open only if they match the signature', async () => {
  const heads: TreeHead[] = [
    { topic: 'a', partition: 0, size: 3, root: leaf(1) },
    { topic: 'a', partition: 10, size: 3, root: leaf(2) },
    { topic: 'a', partition: 2, size: 3, root: leaf(3) },
  ];
  const at = HeadsLog.empty();
  at.appendHeads(5, heads);
  expect(at.lastEntry?.heads_root).toEqual(await headsRoot(at.all));
  const covered = coveredHeads(at, signCheckpoint({ size: 1, root: at.root() }, signer));
  expect(openHeads(covered, log).kind).toBe('followed');
  expect(openHeads({ ...covered, heads: covered.heads.slice(1) }, log).kind).toBe('refused');
  expect(openHeads({ ...covered, heads: [...covered.heads, ...covered.heads] }, log).kind).toBe('refused');
  expect(openHeads({ ...covered, entry: { ...covered.entry, number: 1 } }, log).kind).toBe('refused');
  expect(openHeads({ ...covered, heads: null } as never, log).kind).toBe('refused');
  expect(() => coveredHeads(HeadsLog.empty(), '')).toThrow(RangeError);
});
