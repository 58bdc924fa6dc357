import type { RecordToCover } from '@countersign/verifier';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_ROOT } from '../merkle/hashing.js';
import { inclusionProof } from '../merkle/tree.js';
import { recordHash } from '../record/record-leaf.js';
import { baseOf, type Generation, headHash, type TreeHead } from '../record/tree-heads.js';
import { coveredEnd, leafAt, newestHead, spansOf } from '../record/tree-spans.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { subtreesOf } from '../tiles/tile-hashes.js';
import { coveredHeads } from './follow-entries.js';
import { HeadsLog, type NextEntry } from './heads-log.js';
import { DECISIONS, type OpenedTree, type ProvenDecision } from './openings.js';
import type { TreeMove } from './served-entries.js';

const TOPIC = 'tool-executed';
const uuid = (n: number) => `019b0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const recordOf = (topic: string, offset: number, text = 'honest'): RecordToCover => ({
  topic,
  partition: 0,
  offset,
  timestamp_ms: offset,
  key: null,
  headers: {},
  value: Buffer.from(`${text} ${offset}`),
});

/** The tree of records from an offset on, as a move that opens it or that continues it. */
async function treeOf(topic: string, first: number, end: number, generation?: Generation) {
  const tree = new GrowingTree();
  const records = Array.from({ length: end - first }, (_, n) => recordOf(topic, first + n));
  const tiles = tree.append(Buffer.concat(records.map(recordHash)));
  const read = async (level: number, index: number) =>
    Buffer.concat(tiles.filter((tile) => tile.level === level && tile.index === index).map(({ hashes }) => hashes));
  const head: TreeHead = { topic, partition: 0, size: tree.size, root: await tree.root(), ...(generation ? { generation } : {}) };
  return { head, records, subtrees: subtreesOf(read) };
}

interface Given {
  /** Number of signed records of the damaged tree. */
  signed: number;
  /** Offset from which its records are accepted as lost. */
  base: number;
  /** Number of records of the new generation in the entry that opens it. */
  grown: number;
}

/** A log of two entries; the second one opens a generation correctly. */
async function world({ signed, base, grown }: Given) {
  const decided_at = 4;
  const [damaged, settings] = [await treeOf(TOPIC, 0, signed), await treeOf(DECISIONS.topic, 0, decided_at)];
  const log = HeadsLog.empty();
  expect(log.append({ number: 0, time_ms: 0, moves: [damaged, settings].map(({ head }) => ({ head, path: [] })) })).toEqual([]);
  const after = await treeOf(DECISIONS.topic, 0, decided_at + 1);
  const grower = new GrowingTree();
  grower.append(Buffer.concat(settings.records.map(recordHash)));
  grower.mark();
  grower.append(recordHash(after.records[decided_at] as RecordToCover));
  const generation = { number: 2, base_offset: base, decision: uuid(1) };
  const opened = await treeOf(TOPIC, base, base + grown, generation);
  const named: OpenedTree = {
    ...{ topic: TOPIC, partition: 0, generation: 2, base_offset: base },
    ...{ frozen_size: signed, frozen_root: damaged.head.root.toString('base64') },
  };
  const decision: ProvenDecision = {
    record: after.records[decided_at] as RecordToCover,
    path: await inclusionProof(after.subtrees, decided_at, decided_at + 1),
    decision: { event_id: uuid(1), opened: [named], by: 'user olga', reason: 'no backup', accepted_at_ms: 7 },
  };
  const opens: TreeMove = { head: opened.head, path: [] };
  const decides: TreeMove = { head: after.head, path: await grower.sinceMark() };
  const entry: NextEntry = { number: 1, time_ms: 1, moves: [opens, decides], decisions: [decision] };
  return { log, damaged, generation, opened, named, decision, opens, decides, entry };
}

type World = Awaited<ReturnType<typeof world>>;

const given = fc
  .record({ signed: fc.integer({ min: 1, max: 600 }), grown: fc.integer({ min: 0, max: 300 }), kept: fc.nat() })
  .map(({ signed, grown, kept }): Given => ({ signed, grown, base: kept % (signed + 1) }));
const each = (check: (given: Given) => Promise<void>) => fc.assert(fc.asyncProperty(given, check), { numRuns: 10 });

describe('a generation of a tree', () => {
  test('is opened in the entry that covers its decision; the frozen tree stays and the new one grows', () =>
    each(async (at) => {
      const { log, damaged, entry, generation, opened } = await world(at);
      expect(log.append(entry)).toEqual([
        expect.objectContaining({ opened: opened.head, frozen: damaged.head, decision: expect.objectContaining({ event_id: uuid(1) }) }),
      ]);
      expect(log.head(damaged.head)).toEqual(damaged.head);
      expect(log.newest(damaged.head)).toEqual(opened.head);
      expect(log.growing.filter(({ topic }) => topic === TOPIC)).toEqual([opened.head]);
      const next = await treeOf(TOPIC, at.base, at.base + at.grown + 5, generation);
      const grower = new GrowingTree();
      if (at.grown > 0) grower.append(Buffer.concat(opened.records.map(recordHash)));
      grower.mark();
      grower.append(Buffer.concat(next.records.slice(at.grown).map(recordHash)));
      const move = { head: next.head, path: await grower.sinceMark() };
      expect(log.append({ number: 2, time_ms: 2, moves: [move] })).toEqual([]);
      const { heads, entry: last } = coveredHeads(log, 'note');
      expect(heads.map(([topic, , size]) => [topic, size])).toEqual([
        [DECISIONS.topic, 5],
        [TOPIC, at.signed],
        [TOPIC, at.grown + 5],
      ]);
      expect(last.number).toBe(2);
    }));

  const refused: [string, (made: World, given: Given) => Partial<NextEntry>, RegExp][] = [
    ['without a decision', () => ({ decisions: [] }), /without a decision on the record/],
    [
      'under the id of another decision',
      ({ decision }) => ({ decisions: [{ ...decision, decision: { ...decision.decision, event_id: uuid(2) } }] }),
      /without a decision/,
    ],
    [
      'with a base that is not the decided one',
      ({ opens, generation }) => ({
        moves: [{ ...opens, head: { ...opens.head, generation: { ...generation, base_offset: generation.base_offset + 1 } } }],
      }),
      /begins at offset \d+, and decision .* says \d+/,
    ],
    [
      'with a base that leaves records out',
      ({ opens, decision, named, generation }, { signed }) => ({
        moves: [{ ...opens, head: { ...opens.head, generation: { ...generation, base_offset: signed + 1 } } }],
        decisions: [{ ...decision, decision: { ...decision.decision, opened: [{ ...named, base_offset: signed + 1 }] } }],
      }),
      /would be in no tree/,
    ],
    [
      'that its decision does not name',
      ({ decision, named }) => ({
        decisions: [{ ...decision, decision: { ...decision.decision, opened: [{ ...named, partition: 1 }] } }],
      }),
      /is not among the trees/,
    ],
    [
      'whose frozen tree was signed otherwise',
      ({ decision, named }) => ({
        decisions: [{ ...decision, decision: { ...decision.decision, opened: [{ ...named, frozen_size: named.frozen_size + 1 }] } }],
      }),
      /has another head of it/,
    ],
    [
      'that leaves a number out',
      ({ opens, generation }) => ({ moves: [{ ...opens, head: { ...opens.head, generation: { ...generation, number: 3 } } }] }),
      /does not follow the newest tree/,
    ],
    [
      'of an unknown tree',
      ({ opens }) => ({ moves: [{ ...opens, head: { ...opens.head, topic: 'approval-voted' } }] }),
      /does not follow the newest tree/,
    ],
    [
      'whose decision is another record',
      ({ decision }) => ({ decisions: [{ ...decision, record: { ...decision.record, value: Buffer.from('forged') } }] }),
      /is not the record 4/,
    ],
    [
      'whose decision is of another topic',
      ({ decision }) => ({ decisions: [{ ...decision, record: { ...decision.record, topic: TOPIC } }] }),
      /is not a record of configuration-changed/,
    ],
  ];
  test.each(refused)('%s is refused', (_, forge, reason) =>
    each(async (at) => {
      const made = await world(at);
      const { moves: [opens] = [made.opens], ...more } = forge(made, at);
      const before = made.log.size;
      expect(made.log.append({ ...made.entry, ...more, moves: [opens as TreeMove, made.decides] })).toMatch(reason);
      expect(made.log.size).toBe(before);
    }),
  );

  test('is refused if an earlier entry covered its decision without opening it', () =>
    each(async (at) => {
      const { log, entry, decides, opens } = await world(at);
      expect(log.append({ number: 1, time_ms: 1, moves: [decides] })).toEqual([]);
      expect(log.append({ ...entry, number: 2, moves: [opens] })).toMatch(/was covered by an earlier entry/);
    }));

  test('freezes the previous tree permanently: nothing continues it, neither in the same entry nor later', () =>
    each(async (at) => {
      const { log, entry, damaged } = await world(at);
      const more = await treeOf(TOPIC, 0, at.signed + 3);
      const grower = new GrowingTree();
      grower.append(Buffer.concat(damaged.records.map(recordHash)));
      grower.mark();
      grower.append(Buffer.concat(more.records.slice(at.signed).map(recordHash)));
      const continues = { head: more.head, path: await grower.sinceMark() };
      expect(log.append({ ...entry, moves: [...entry.moves, continues] })).toMatch(/moves and is frozen at the same time/);
      expect(log.append(entry)).toHaveLength(1);
      expect(log.append({ number: 2, time_ms: 2, moves: [continues] })).toMatch(/is frozen with \d+ records since tool-executed\/0#2/);
    }));

  test('never changes its base offset or decision', async () => {
    const { log, entry, generation, opened } = await world({ signed: 9, base: 5, grown: 2 });
    expect(log.append(entry)).toHaveLength(1);
    for (const change of [{ base_offset: 4 }, { decision: uuid(3) }]) {
      const grower = new GrowingTree();
      grower.append(Buffer.concat(opened.records.map(recordHash)));
      grower.mark();
      grower.append(recordHash(recordOf(TOPIC, 7)));
      const head = { ...opened.head, size: 3, root: await grower.root(), generation: { ...generation, ...change } };
      expect(log.append({ number: 2, time_ms: 2, moves: [{ head, path: await grower.sinceMark() }] })).toMatch(
        /a different base offset or decision/,
      );
    }
  });

  test('has a leaf with its number, base offset and decision; the leaf of an original tree is unchanged', () => {
    const head: TreeHead = { topic: TOPIC, partition: 0, size: 3, root: EMPTY_ROOT };
    const generation = { number: 2, base_offset: 5, decision: uuid(1) };
    const leaves = [{}, generation, { ...generation, number: 3 }, { ...generation, base_offset: 4 }, { ...generation, decision: uuid(2) }];
    const hashes = leaves.map((each) => headHash('number' in each ? { ...head, generation: each as Generation } : head).toString('hex'));
    expect(new Set(hashes).size).toBe(leaves.length);
  });
});

describe('the leaf of a record', () => {
  /** Trees of one partition: each generation starts somewhere within the range of the earlier trees. */
  const chains = fc
    .array(fc.record({ size: fc.integer({ min: 0, max: 40 }), at: fc.nat() }), { minLength: 1, maxLength: 5 })
    .map((steps) => {
      const heads: TreeHead[] = [];
      for (const [n, { size, at }] of steps.entries()) {
        const end = coveredEnd(heads, { topic: TOPIC, partition: 0 });
        const base_offset = n === 0 ? 0 : at % (end + 1);
        const generation = n === 0 ? {} : { generation: { number: n + 1, base_offset, decision: uuid(n) } };
        heads.push({ topic: TOPIC, partition: 0, size, root: EMPTY_ROOT, ...generation });
      }
      return heads;
    });

  test('every offset below the covered end belongs to one tree: the newest that starts at or before it', () => {
    fc.assert(
      fc.property(chains, fc.shuffledSubarray([0, 1, 2, 3, 4]), (heads, order) => {
        const shuffled = [...order.flatMap((n) => heads[n] ?? []), ...heads.filter((_, n) => !order.includes(n))];
        const place = { topic: TOPIC, partition: 0 };
        const end = coveredEnd(shuffled, place);
        expect(newestHead(shuffled, place)).toBe(heads.at(-1));
        for (let offset = 0; offset < end; offset++) {
          const newest = [...heads].reverse().find((head) => baseOf(head) <= offset) as TreeHead;
          expect(leafAt(shuffled, { ...place, offset })).toEqual({ head: newest, index: offset - baseOf(newest) });
        }
        expect(leafAt(shuffled, { ...place, offset: end })).toBeUndefined();
        expect(leafAt(shuffled, { topic: TOPIC, partition: 1, offset: 0 })).toBeUndefined();
        const spans = spansOf(shuffled);
        expect(spans.filter(({ isFrozen }) => !isFrozen)).toHaveLength(1);
        expect(spans.reduce((sum, { first, end }) => sum + end - first, 0)).toBe(end);
      }),
    );
  });
});
