import { checkSince } from '@countersign/cli/verify/since';
import { judge, nothingSeen, type Seen } from '@countersign/cli/witness/follow-log';
import { readDecision } from '@countersign/evidence';
import {
  COSIGNATURE_V1,
  coveredHeads,
  followEntries,
  HeadsLog,
  headName,
  noteSigner,
  type Opening,
  openCheckpoint,
  openHeads,
  verifyRecord,
} from '@countersign/proofs';
import { describe, expect, test } from 'vitest';
import { type Attack, attacks } from './attacks.js';
import { openGeneration } from './generations.js';
import { type Claim, History } from './history.js';
import { grow } from './honest-log.js';
import { Random } from './random.js';

const signer = noteSigner('countersign.example/log', Buffer.alloc(32, 7));
const log = signer.verifier;
const witness = noteSigner('witness.example', Buffer.alloc(32, 9), COSIGNATURE_V1);
const SEEDS = Number(process.env.COUNTERSIGN_TEST_FORGER_SEEDS ?? 6);

const served = (history: History) => ({
  checkpoint: () => history.checkpoint(),
  entries: (first: number, second: number) => history.entriesUpTo(first, second),
  heads: (size: number) => history.heads(size),
});

/** A witness that has followed the honest log up to this size, restored from its state file. */
async function hasSeen(history: History, size: number): Promise<Seen> {
  if (size === 0) return { ...nothingSeen(), accepts: () => true };
  const followed = followEntries(HeadsLog.empty(), await history.entriesUpTo(0, size), { log, readDecision });
  if (followed.kind === 'refused') throw new Error(followed.reason);
  const state = openHeads(JSON.parse(JSON.stringify(coveredHeads(followed.log, followed.note))), log);
  if (state.kind === 'refused') throw new Error(state.reason);
  return { log: state.log, note: state.note, accepts: () => true };
}

async function world(seed: number, forge: (claims: readonly Claim[], random: Random) => Promise<Attack> | Attack) {
  const random = new Random(seed);
  const claims = grow([], random.between(3, 8), random);
  const honest = await History.publish(claims, signer);
  const attack = await forge(claims, random);
  const forged = await History.publish(attack.claims, signer);
  return { random, honest, attack, forged };
}

describe.each(Object.entries(attacks))('the holder of the key: %s', (_, forge) => {
  test('a witness that has seen the honest log does not cosign it, whatever it has seen', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { random, honest, attack, forged } = await world(seed, forge);
      const seen = await hasSeen(honest, random.between(attack.seen_min, honest.size));
      const judgement = await judge(seen, served(forged), log, async () => undefined);
      expect([seed, judgement.kind]).toEqual([seed, 'contradiction']);
    }
  });

  test('verify --since refuses it from any earlier checkpoint', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { random, honest, attack, forged } = await world(seed, forge);
      const size = random.between(Math.max(1, attack.seen_min), honest.size);
      const earlier = openCheckpoint(honest.note(size), log);
      const later = openCheckpoint(forged.note(), log);
      if (!earlier || !later) throw new Error('a note cannot be read');
      // If the forged log is shorter than the log that was seen, the seen log is the later one, and must continue it.
      const [first, second] = earlier.size <= later.size ? [earlier, later] : [later, earlier];
      const verdict = await checkSince(first, second, log, served(earlier.size <= later.size ? forged : honest));
      const isHonestPart = forged.size < size && forged.size <= attack.at;
      expect([seed, verdict.kind]).toEqual([seed, isHonestPart ? 'continued' : 'refused']);
    }
  });
});

describe('a tree that an operator continued as another generation', () => {
  /** An honest log with some generations, each opened by a recorded decision. */
  async function decidedLog(seed: number) {
    const random = new Random(seed);
    let claims = grow([], random.between(1, 4), random);
    const count = random.between(1, 3);
    for (let n = 0; n < count; n++) claims = grow(await openGeneration(claims, random), random.between(0, 2), random, `after ${n}`);
    return { random, count, history: await History.publish(claims, signer) };
  }

  test('is no contradiction; a witness stops there until its own operator accepts it', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { count, history } = await decidedLog(seed);
      const stopped = await judge(nothingSeen(), served(history), log, async () => undefined);
      expect([seed, stopped]).toMatchObject([seed, { kind: 'undecided' }]);
      const accepted = { ...nothingSeen(), accepts: () => true };
      expect([seed, await judge(accepted, served(history), log, async () => undefined)]).toMatchObject([seed, { kind: 'cosign' }]);
      const openings = stopped.kind === 'undecided' ? stopped.openings : [];
      expect([seed, openings.length]).toEqual([seed, count]);
      const allButOne = { ...nothingSeen(), accepts: ({ decision }: Opening) => decision.event_id !== openings.at(-1)?.decision.event_id };
      expect((await judge(allButOne, served(history), log, async () => undefined)).kind).toBe('undecided');
    }
  });

  test('verify --since names the frozen tree, the new one and the decision, from any earlier checkpoint', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { random, history } = await decidedLog(seed);
      const [first, second] = [history.note(random.between(1, history.size)), history.note()].map((note) => openCheckpoint(note, log));
      const verdict = await checkSince(first as never, second as never, log, served(history));
      expect([seed, verdict.kind]).toEqual([seed, first?.size === second?.size ? 'same' : 'continued']);
      if (verdict.kind !== 'continued') continue;
      const before = new Set(
        (await history.heads(first?.size as number)).heads.map(([topic, partition, , , of]) => `${topic}/${partition}#${of?.number}`),
      );
      const after = (await history.heads(history.size)).heads.filter(
        ([topic, partition, , , of]) => of && !before.has(`${topic}/${partition}#${of.number}`),
      );
      expect(verdict.openings.map(({ opened }) => headName(opened)).sort()).toEqual(
        after.map(([topic, partition, , , of]) => `${topic}/${partition}#${of?.number}`).sort(),
      );
      for (const { decision, opened } of verdict.openings) expect(decision.event_id).toBe(opened.generation?.decision);
    }
  });

  test('its records are proven under it, at their offsets', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { history } = await decidedLog(seed);
      const trees = history.claims.at(-1)?.trees ?? new Map();
      for (const [name, records] of trees) {
        if (records.length === 0) continue;
        const { record, proof } = await history.prove(name, records.at(-1).offset, history.size - 1);
        expect([name, verifyRecord(record, proof, { log, witnesses: [] }).kind]).toEqual([name, 'proven']);
        const { generation } = proof.tree;
        if (!generation) continue;
        for (const change of [{ number: generation.number + 1 }, { base_offset: generation.base_offset + 1 }, { decision: 'x' }]) {
          const tree = { ...proof.tree, generation: { ...generation, ...change } };
          expect(verifyRecord(record, { ...proof, tree }, { log, witnesses: [] }).kind).toBe('refused');
        }
        const { generation: _, ...original } = proof.tree;
        expect(verifyRecord(record, { ...proof, tree: original }, { log, witnesses: [] }).kind).toBe('refused');
      }
    }
  });
});

describe('one old record with two versions', () => {
  /**
   * The attack from the audit: the inputs of one old record are changed, its leaf is replaced, and only the next checkpoint is signed
   * over the new head.
   */
  const nextOnly = async (isOnce: boolean) => {
    const claims = grow([], 6, new Random(3));
    const forge = attacks[isOnce ? 'skip an entry' : 'change'] as (typeof attacks)[string];
    const attack = await forge(claims, new Random(5));
    return { honest: await History.publish(claims, signer), forged: await History.publish(attack.claims, signer), attack };
  };

  test('only the next checkpoint is signed over the new head: a witness that saw the previous one does not cosign it', async () => {
    const { honest, forged, attack } = await nextOnly(false);
    const seen = await hasSeen(honest, attack.at);
    expect(await judge(seen, served(forged), log, async () => undefined)).toMatchObject({
      kind: 'contradiction',
      reason: expect.stringContaining(`entry ${attack.at}: ${attack.lie?.tree}`),
    });
  });

  test('the key alone confirms proofs of both versions; with a witness that checks heads only the true one is confirmed', async () => {
    const { honest, forged, attack } = await nextOnly(false);
    const { tree, offset } = attack.lie as NonNullable<Attack['lie']>;
    const trusted = { log, witnesses: [{ key: witness.verifier, checks: 'heads' as const }] };
    const truth = await honest.prove(tree, offset, honest.size - 1);
    const lie = await forged.prove(tree, offset, forged.size - 1);
    expect(truth.record.value.toString()).not.toBe(lie.record.value.toString());
    expect([truth, lie].map(({ record, proof }) => verifyRecord(record, proof, { log, witnesses: [] }).kind)).toEqual(['proven', 'proven']);
    expect(verifyRecord(lie.record, lie.proof, trusted)).toMatchObject({ kind: 'refused' });
  });

  test('an entry that a witness skipped proves nothing under a later, honest checkpoint', async () => {
    const { forged, attack } = await nextOnly(true);
    const { tree, offset } = attack.lie as NonNullable<Attack['lie']>;
    const lie = await forged.prove(tree, offset, attack.at, forged.size);
    expect(lie.record.value.toString()).toContain('forged');
    expect(verifyRecord(lie.record, lie.proof, { log, witnesses: [] })).toEqual({
      kind: 'refused',
      reason: `entry ${attack.at} is not the last entry of the checkpoint, which is ${forged.size - 1}`,
    });
    const truth = await forged.prove(tree, offset, forged.size - 1);
    expect(verifyRecord(truth.record, truth.proof, { log, witnesses: [] }).kind).toBe('proven');
  });

  test('a witness with only the note of an earlier release checks the log from its first entry, through this note', async () => {
    const { honest, forged, attack } = await nextOnly(true);
    const checkpoint = openCheckpoint(forged.note(attack.at + 2), log);
    const behind = await judge(nothingSeen(checkpoint), served(forged), log, async () => undefined);
    expect(behind).toMatchObject({ kind: 'contradiction', reason: expect.stringContaining(`entry ${attack.at}`) });
    const other = openCheckpoint(honest.note(2), log) as { size: number; root: Buffer };
    expect(await judge(nothingSeen(other), served(honest), log, async () => undefined)).toMatchObject({
      kind: 'cosign',
      size: honest.size,
    });
    const strange = { size: 2, root: Buffer.alloc(32, 1) };
    expect(await judge(nothingSeen(strange), served(honest), log, async () => undefined)).toMatchObject({ kind: 'contradiction' });
  });
});
