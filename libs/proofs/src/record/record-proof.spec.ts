import type { RecordProof, RecordToCover } from '@countersign/verifier';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inclusionProof } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import { smallLog, smallLogSigner, smallRecord } from '../testing/small-log.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { subtreesOf } from '../tiles/tile-hashes.js';
import { recordHash } from './record-leaf.js';
import { verifyRecord } from './record-proof.js';
import { entryHash, headsRoot } from './tree-heads.js';

const signer = smallLogSigner;
const record = smallRecord;
const trust = { log: signer.verifier, witnesses: [] };
const text = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('base64'));

/** Entry 1 of three has a forged record and entry 2 is correct again; the proof leads through entry 1. */
async function forgedEarlierEntry() {
  const forged = { ...record(0), value: Buffer.from('other inputs') };
  const head = { topic: forged.topic, partition: forged.partition, size: 1, root: recordHash(forged) };
  const entry = { number: 1, time_ms: 1_790_000_000_000, trees: 1, heads_root: await headsRoot([head]) };
  const others = [0, 2].map((number) => entryHash({ ...entry, number, heads_root: Buffer.alloc(32, number) }));
  const tiles = Buffer.concat([others[0] as Buffer, entryHash(entry), others[1] as Buffer]);
  const entries = new GrowingTree();
  entries.append(tiles);
  const path = await inclusionProof(
    subtreesOf(async () => tiles),
    1,
    3,
  );
  const proof: RecordProof = {
    tree: { size: 1, path: [] },
    head: { index: 0, path: [] },
    entry: { number: 1, time_ms: entry.time_ms, trees: 1, path: text(path) },
    checkpoint: signCheckpoint({ size: 3, root: await entries.root() }, signer),
  };
  return { record: forged, proof };
}

describe('the proof of a record', () => {
  test('leads through the last entry of its note: an earlier entry, which a witness may have skipped, proves nothing', async () => {
    const { record: forged, proof } = await forgedEarlierEntry();
    expect(verifyRecord(forged, proof, trust)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('last entry') });
  });

  test('is valid for every record, and for no other record at its position', async () => {
    const { records, proofOf } = await smallLog(9);
    for (const each of records) {
      const proof = await proofOf(each.offset);
      expect(verifyRecord(each, proof, trust)).toEqual({ kind: 'proven', checkpoint_size: 3, time_ms: 1_790_000_100_000 });
      const changes: Partial<RecordToCover>[] = [
        { topic: 'policy-decided' },
        { partition: 1 },
        { offset: (each.offset + 1) % 9 },
        { timestamp_ms: each.timestamp_ms + 1 },
        { key: 'another' },
        { headers: { ...each.headers, event_type: 'tool_call_started' } },
        { headers: {} },
        { value: Buffer.from(`value ${each.offset}!`) },
      ];
      for (const change of changes) expect(verifyRecord({ ...each, ...change }, proof, trust).kind).toBe('refused');
    }
  });

  test('is refused after a change of any single field', async () => {
    const { records, proofOf } = await smallLog(9);
    const proof = await proofOf(4);
    const edits: RecordProof[] = [
      { ...proof, tree: { ...proof.tree, size: 10 } },
      { ...proof, tree: { ...proof.tree, path: proof.tree.path.slice(1) } },
      { ...proof, head: { ...proof.head, index: 0 } },
      { ...proof, entry: { ...proof.entry, number: 1 } },
      { ...proof, entry: { ...proof.entry, time_ms: 1 } },
      { ...proof, entry: { ...proof.entry, trees: 3 } },
      { ...proof, checkpoint: proof.checkpoint.replace('\n3\n', '\n4\n') },
      { ...proof, tree: null as never },
      ...['!!!!', '\n', ' ', '='].map((junk) => ({ ...proof, tree: { ...proof.tree, path: proof.tree.path.map((hash) => hash + junk) } })),
      { ...proof, head: { ...proof.head, path: proof.head.path.map((hash) => hash.replace('=', '')) } },
      { ...proof, entry: { ...proof.entry, path: proof.entry.path.map((hash) => ` ${hash}`) } },
    ];
    for (const edited of edits) expect(verifyRecord(records[4] as RecordToCover, edited, trust).kind).toBe('refused');
  });
});

test('no two records have the same leaf, wherever their texts are split', () => {
  const field = fc.string({ unit: 'binary', maxLength: 6 });
  const any = fc.record({
    topic: field,
    partition: fc.nat(3),
    offset: fc.nat(3),
    timestamp_ms: fc.nat(3),
    key: fc.option(field),
    headers: fc.dictionary(field, field, { maxKeys: 2, noNullPrototype: true }),
    value: fc.uint8Array({ maxLength: 4 }),
  });
  const bytes = (each: RecordToCover) =>
    JSON.stringify([
      Buffer.from(each.topic).toString('hex'),
      each.partition,
      each.offset,
      each.timestamp_ms,
      each.key === null ? null : Buffer.from(each.key).toString('hex'),
      Object.entries(each.headers)
        .map(([name, value]) => [Buffer.from(name).toString('hex'), Buffer.from(value).toString('hex')])
        .sort(),
      Buffer.from(each.value).toString('hex'),
    ]);
  fc.assert(
    fc.property(any, any, (a, b) => {
      expect(recordHash(a).equals(recordHash(b))).toBe(bytes(a) === bytes(b));
    }),
    { numRuns: 5_000 },
  );
});
