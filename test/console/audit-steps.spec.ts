import { openedWith } from '@countersign/console/audit/proof/checkpoint-steps';
import { chooseTrust, pinnable } from '@countersign/console/audit/proof/choose-trust';
import {
  type Continuity,
  continuityOf,
  continuityStep,
  isContradiction,
  type Remembered,
} from '@countersign/console/audit/proof/continuity';
import type { Step, Verification } from '@countersign/console/audit/proof/step';
import { type ProvenRecord, verifyRecord } from '@countersign/console/audit/proof/verify-record';
import {
  consistencyProof,
  HeadsLog,
  nodeCrypto,
  noteSigner,
  openCheckpoint,
  parseVkey,
  type SubtreeHash,
  signCheckpoint,
  type TreeHead,
} from '@countersign/proofs';
import { nodeHash } from '@countersign/proofs/merkle/hashing';
import { entryHash } from '@countersign/proofs/record/tree-heads';
import { publishedVector } from '@countersign/proofs/testing/published-vector';
import { treeHashing } from '@countersign/verifier';
import { nobleCrypto } from '@countersign/verifier/crypto/noble-crypto';
import { describe, expect, test } from 'vitest';

const vector = publishedVector();
const proven = vector as unknown as ProvenRecord;
const stranger = noteSigner('elsewhere.example/log', Buffer.alloc(32, 3));
const namesake = noteSigner('countersign.example/log', Buffer.alloc(32, 4));
const pinned = (witnesses: object[] = []) => [JSON.stringify({ log: vector.vkey, witnesses })];
const ASKED = { kind: 'record', topic: 'tool-executed', partition: 2, offset: 4 } as const;
const failedStep = ({ steps }: Verification): string | undefined => steps.find(({ state }) => state === 'failed')?.id;

describe.each([
  ['node:crypto', nodeCrypto],
  ['@noble', nobleCrypto],
])('the steps of a proof, on %s', (_, crypto) => {
  const verify = (answer: unknown, keys: readonly string[] = pinned(), continuity?: Continuity) =>
    verifyRecord(answer as ProvenRecord, { crypto, pinned: keys, asked: ASKED, continuity });
  const changed = (more: object) => ({ ...proven, record: { ...proven.record, ...more } });

  test('lead to a proof under pinned keys, and to no more than agreement under a key of the server', () => {
    expect(verify(proven)).toMatchObject({ outcome: 'proven' });
    expect(verify(proven, [])).toMatchObject({
      outcome: 'unpinned',
      not_proven: expect.arrayContaining([expect.stringContaining('Who holds the key')]),
    });
    expect(verify(proven).not_proven.join(' ')).toContain('did not rewrite records');
    const witnessed = verify(proven, pinned([{ key: vector.witness, checks: 'heads' }]));
    expect(witnessed.not_proven.join(' ')).not.toContain('did not rewrite records');
    expect(witnessed.proven.join(' ')).toContain('witness.example saw this checkpoint at 2026-09-21T14:16:40Z');
    expect(verify(proven, pinned([{ key: vector.witness, checks: 'entries' }])).not_proven.join(' ')).toContain('did not rewrite records');
  });

  test.each([
    ['entry_path', changed({ value: 'dmFsdWUgNQ==' })],
    ['entry_path', changed({ headers: {} })],
    ['leaf', changed({ value: 'not base64' })],
    ['leaf', changed({ headers: null })],
    ['record_path', changed({ offset: 3 })],
    ['tree_path', { ...proven, proof: { ...proven.proof, head: { index: 9, path: [] } } }],
    ['last_entry', { ...proven, proof: { ...proven.proof, entry: { ...proven.proof.entry, number: 1 } } }],
    ['leaf', { ...proven, proof: { ...proven.proof, tree: null } }],
    ['checkpoint', { ...proven, proof: { ...proven.proof, checkpoint: signCheckpoint({ size: 3, root: Buffer.alloc(32) }, stranger) } }],
    ['checkpoint', { ...proven, proof: { ...proven.proof, checkpoint: 17 } }],
    ['key', { ...proven, vkey: stranger.verifier.vkey }],
    ['key', { ...proven, vkey: namesake.verifier.vkey }],
  ])('a change is refused at %s, and nothing after it counts as verified', (step, answer) => {
    const verification = verify(answer);
    expect(verification.outcome).toBe('refused');
    expect(failedStep(verification)).toBe(step);
    expect(verification.proven).toEqual([]);
    const after = verification.steps.slice(verification.steps.findIndex(({ id }) => id === step) + 1);
    expect(after.filter(({ state }) => state === 'proven')).toEqual([]);
  });

  test('a true proof of another record than the one that was asked for is refused', () => {
    const asked = (what: object) =>
      failedStep(verifyRecord(proven, { crypto, pinned: pinned(), asked: what as typeof ASKED, continuity: undefined }));
    expect(asked(ASKED)).toBeUndefined();
    for (const other of [
      { ...ASKED, offset: 3 },
      { ...ASKED, partition: 0 },
      { ...ASKED, topic: 'policy-decided' },
      { kind: 'event', id: 'x' },
    ])
      expect(asked(other)).toBe('asked');
  });

  test('without a pinned key a broken one of the server is refused; keys that cannot be read are none', () => {
    expect(failedStep(verify({ ...proven, vkey: 'nonsense' }, []))).toBe('key');
    expect(failedStep(verify(proven, ['{']))).toBe('key');
  });

  test('a replaced key of the same name is told from that of another installation', () => {
    const says = (vkey: string) => (chooseTrust(crypto, pinned(), vkey, 'server') as Step).says;
    expect(says(namesake.verifier.vkey)).toContain('under the name of a log that you pinned');
    expect(says(stranger.verifier.vkey)).toContain('another installation');
  });

  test('pasted keys are a trust file or lines of keys, and nothing else', () => {
    expect(JSON.parse(pinnable(crypto, ` ${vector.vkey}\nheads:${vector.witness}\n`))).toEqual({
      log: vector.vkey,
      witnesses: [{ key: vector.witness, checks: 'heads' }],
    });
    expect(pinnable(crypto, JSON.stringify({ log: vector.vkey }))).toBe(JSON.stringify({ log: vector.vkey }));
    for (const bad of [
      '',
      'x',
      `${vector.vkey} x`,
      `${vector.vkey} ${vector.vkey}`,
      '{',
      '{"log":"x"}',
      JSON.stringify({ log: vector.vkey, witness: [] }),
    ])
      expect(() => pinnable(crypto, bad)).toThrow();
  });
});

/** A log of so many checkpoints; `salt` makes another history. */
function logOf(size: number, salt: number) {
  const at = HeadsLog.empty();
  const leaves: Buffer[] = [];
  for (let n = 0; n < size; n++) {
    const head: TreeHead = { topic: 'a', partition: 0, size: n + 1, root: Buffer.alloc(32, n === 2 ? salt : n) };
    at.appendHeads(n, [head]);
    leaves.push(entryHash(at.lastEntry as never));
  }
  return { size, root: at.root(), leaves };
}

describe('what this browser remembers of a log', () => {
  const hashing = treeHashing(nodeCrypto.sha256);
  const signer = noteSigner('countersign.example/log', Buffer.alloc(32, 7));
  const { vkey } = signer.verifier;
  const first = { size: 1, seen_at: '2026-11-20T12:00:00.000Z' };
  const subtrees = (leaves: readonly Buffer[]): SubtreeHash => {
    const at: SubtreeHash = async (level, index) =>
      level === 0 ? (leaves[index] as Buffer) : nodeHash(await at(level - 1, 2 * index), await at(level - 1, 2 * index + 1));
    return at;
  };
  const opened = ({ size, root }: { size: number; root: Buffer }) =>
    openedWith(signCheckpoint({ size, root }, signer), { log: signer.verifier, witnesses: [] }).opened as never;
  const seen = ({ size, root }: { size: number; root: Buffer }): Remembered => ({
    vkey,
    size,
    root: root.toString('base64'),
    note: '',
    seen_at: '2026-11-27T12:00:00.000Z',
    first,
  });
  const kind = (before: Remembered | undefined, log: { size: number; root: Buffer }, path?: readonly Buffer[], by = vkey) =>
    continuityOf(
      hashing,
      before,
      { newest: opened(log), vkey: by },
      path?.map((hash) => hash.toString('base64')),
    ).kind;

  test('is continued by a log that only grew', async () => {
    const [earlier, later] = [logOf(5, 2), logOf(9, 2)];
    const path = await consistencyProof(subtrees(later.leaves), 5, 9);
    expect(kind(undefined, later)).toBe('first');
    expect(kind(seen(later), later)).toBe('same');
    expect(kind(seen(earlier), later, path)).toBe('continued');
  });

  test('is contradicted by another history, a shorter log, a missing or wrong proof, and another key', async () => {
    const [earlier, other] = [logOf(5, 2), logOf(9, 77)];
    const path = await consistencyProof(subtrees(other.leaves), 5, 9);
    expect(kind(seen(earlier), other, path)).toBe('forked');
    expect(kind(seen(earlier), logOf(9, 2))).toBe('forked');
    expect(kind(seen(earlier), logOf(9, 2), [])).toBe('forked');
    expect(kind(seen(earlier), logOf(5, 77))).toBe('forked');
    expect(kind(seen(logOf(9, 2)), earlier)).toBe('shrunk');
    expect(kind(seen(earlier), logOf(9, 2), path, namesake.verifier.vkey)).toBe('other_key');
    expect(kind({ ...seen(earlier), root: 'not base64' }, other, path)).toBe('forked');
  });

  test('says since when it has followed the log, and nothing while that is young', () => {
    const before = seen(logOf(5, 2));
    expect(continuityStep({ kind: 'same', before })).toMatchObject({
      state: 'proven',
      says: expect.stringContaining('since checkpoint 1'),
    });
    expect(continuityStep({ kind: 'same', before: { ...before, first: { size: 5, seen_at: before.seen_at } } }).state).toBe('open');
    expect(continuityStep({ kind: 'unknown', reason: 'no answer' }).state).toBe('open');
    const shrunk: Continuity = { kind: 'shrunk', before, reason: 'it is shorter' };
    expect([isContradiction(shrunk), continuityStep(shrunk).state]).toEqual([true, 'failed']);
    expect(openCheckpoint('', parseVkey(vkey) as never)).toBeUndefined();
  });
});
