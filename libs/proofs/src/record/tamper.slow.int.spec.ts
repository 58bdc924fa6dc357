import type { RecordProof, RecordToCover } from '@countersign/verifier';
import { expect, test } from 'vitest';
import { inclusionProof } from '../merkle/tree.js';
import { signCheckpoint } from '../note/checkpoint.js';
import { noteSigner } from '../note/note-key.js';
import { GrowingTree } from '../tiles/growing-tree.js';
import { subtreesOf } from '../tiles/tile-hashes.js';
import { recordHash } from './record-leaf.js';
import { openTrusted, type TrustedCheckpoint, verifyUnder } from './record-proof.js';
import { entryHash, headProof, headsRoot } from './tree-heads.js';

const RECORDS = 256;
const VALUE_BYTES = 4096;
const EDITS = 10_000;
const signer = noteSigner('countersign.example/log', Buffer.alloc(32, 7));

let seed = 1;
/** Park-Miller generator: the edits are the same in every run. */
const random = (below: number) => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};

const record = (offset: number): RecordToCover => ({
  topic: 'tool-executed',
  partition: 1,
  offset,
  timestamp_ms: 1_790_000_000_000 + offset,
  key: `key-${offset}`,
  headers: { event_type: 'tool_executed' },
  value: Buffer.from(Array.from({ length: VALUE_BYTES }, () => random(256))),
});

interface World {
  records: RecordToCover[];
  proofs: Omit<RecordProof, 'checkpoint'>[];
  signed: TrustedCheckpoint;
}

async function signedLog(): Promise<World> {
  const records = Array.from({ length: RECORDS }, (_, offset) => record(offset));
  const tree = new GrowingTree();
  const tiles = new Map(
    tree.append(Buffer.concat(records.map(recordHash))).map(({ level, index, hashes }) => [`${level}/${index}`, hashes]),
  );
  const subtrees = subtreesOf(async (level, index) => tiles.get(`${level}/${index}`) as Buffer);
  const heads = [{ topic: 'tool-executed', partition: 1, size: RECORDS, root: await tree.root() }];
  const entry = { number: 0, time_ms: 1_790_000_000_000, trees: 1 };
  const root = entryHash({ ...entry, heads_root: await headsRoot(heads) });
  const head = { index: 0, path: (await headProof(heads, 0)).map((hash) => hash.toString('base64')) };
  const proofs = await Promise.all(
    records.map(async ({ offset }) => ({
      tree: { size: RECORDS, path: (await inclusionProof(subtrees, offset, RECORDS)).map((hash) => hash.toString('base64')) },
      head,
      entry: { ...entry, path: [] },
    })),
  );
  const signed = openTrusted(signCheckpoint({ size: 1, root }, signer), { log: signer.verifier, witnesses: [] });
  return { records, proofs, signed: signed as TrustedCheckpoint };
}

/** Counts the records that are not proven at their positions. */
function refusals(records: readonly RecordToCover[], { proofs, signed }: World): number {
  return records.filter((each, at) => verifyUnder(each, proofs[at] as World['proofs'][number], signed).kind === 'refused').length;
}

test('in a log of 1 MB every single flipped byte is detected, and no damage is found in the unchanged log', async () => {
  const world = await signedLog();
  expect(refusals(world.records, world)).toBe(0);
  let missed = 0;
  for (const [at, { value }] of world.records.entries()) {
    const proof = world.proofs[at] as World['proofs'][number];
    for (let byte = 0; byte < VALUE_BYTES; byte++) {
      value[byte] = (value[byte] as number) ^ (1 << (byte % 8));
      if (verifyUnder(world.records[at] as RecordToCover, proof, world.signed).kind !== 'refused') missed++;
      value[byte] = (value[byte] as number) ^ (1 << (byte % 8));
    }
  }
  expect(missed).toBe(0);
  expect(refusals(world.records, world)).toBe(0);
}, 600_000);

test('10,000 edits of several records, swaps, shifts, substitutions and cuts are all detected', async () => {
  const world = await signedLog();
  const { records } = world;
  const some = () => records[random(RECORDS)] as RecordToCover;
  const edits: ((list: RecordToCover[]) => void)[] = [
    (list) => {
      for (let n = 0; n < 3; n++) {
        const at = random(RECORDS);
        const value = Buffer.from((list[at] as RecordToCover).value);
        const byte = random(VALUE_BYTES);
        value[byte] = (value[byte] as number) ^ (1 + random(255));
        list[at] = { ...(list[at] as RecordToCover), value };
      }
    },
    (list) => {
      const [a, b] = [random(RECORDS), random(RECORDS - 1)];
      const other = b === a ? RECORDS - 1 : b;
      [list[a], list[other]] = [list[other] as RecordToCover, list[a] as RecordToCover];
    },
    (list) => {
      const at = random(RECORDS - 1);
      list[at] = { ...(list[at + 1] as RecordToCover), offset: at };
    },
    (list) => {
      const at = random(RECORDS);
      list[at] = { ...(list[at] as RecordToCover), value: (list[at] as RecordToCover).value.subarray(0, random(VALUE_BYTES)) };
    },
    (list) => {
      const at = random(RECORDS);
      list[at] = { ...(list[at] as RecordToCover), key: some().key === (list[at] as RecordToCover).key ? null : some().key };
      if ((list[at] as RecordToCover).key === (records[at] as RecordToCover).key) list[at] = { ...(list[at] as RecordToCover), key: null };
    },
    (list) => {
      list.splice(random(RECORDS - 1), 1);
    },
  ];
  let missed = 0;
  for (let n = 0; n < EDITS; n++) {
    const list = [...records];
    (edits[n % edits.length] as (typeof edits)[number])(list);
    const changed = list.findIndex((each, at) => each !== records[at]);
    const window = list.slice(changed, changed + 1);
    const isFound = window.some(
      (each) => verifyUnder(each, world.proofs[changed] as World['proofs'][number], world.signed).kind === 'refused',
    );
    if (!isFound) missed++;
  }
  expect(missed).toBe(0);
}, 600_000);
