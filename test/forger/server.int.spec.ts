import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { judge, nothingSeen, type Seen } from '@countersign/cli/witness/follow-log';
import { coveredHeads, noteSigner, openHeads } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attacks } from './attacks.js';
import { type Claim, History } from './history.js';
import { grow } from './honest-log.js';
import { Random } from './random.js';
import { HonestRoutes, NotServed, plant, type Stored, signOnce, storedIn } from './server.js';

const signer = noteSigner('countersign.example/log', Buffer.alloc(32, 7));
const log = signer.verifier;
const SEEDS = Number(process.env.COUNTERSIGN_TEST_FORGER_SEEDS ?? 6);
const HONEST_RUNS = Number(process.env.COUNTERSIGN_TEST_FORGER_RUNS ?? 12);
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'forger-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const inFolder = (seed: number) => path.join(dir, String(seed));
const next = (claims: readonly Claim[], random: Random) => grow(claims, 1, random, 'after').at(-1)?.trees as Claim['trees'];

describe.each(Object.entries(attacks))('the holder of disk and key: %s', (_, forge) => {
  test('the signer signs nothing on top of it, whether or not the log contains the lie too', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = new Random(seed);
      const claims = grow([], random.between(3, 8), random);
      const attack = await forge(claims, random);
      const honest = await History.publish(claims, signer);
      const forged = await History.publish(attack.claims, signer);
      await plant(forged, honest, random.between(attack.seen_min, Math.max(attack.seen_min, attack.at)), inFolder(seed), signer);
      const served = random.below(2) === 0 ? attack.claims : claims;
      const signed = await signOnce(storedIn(inFolder(seed), signer), next(served, random), 1_790_000_100_000);
      expect([seed, signed.kind]).toEqual([seed, 'broken']);
      const { checkpoints } = storedIn(inFolder(seed), signer);
      expect((await checkpoints.newest())?.record.number).toBe(forged.size - 1);
    }
  });
});

/** Simulates a crash, or a lost disk, for files that are derived from the log. */
async function tear(folder: string, random: Random): Promise<void> {
  const names = (await readdir(folder, { recursive: true }).catch(() => [])).map((name) => path.join(folder, name));
  const files: string[] = [];
  for (const name of names) if ((await stat(name)).isFile()) files.push(name);
  if (files.length === 0) return;
  const file = random.pick(files);
  const bytes = await readFile(file);
  const torn = [
    () => rm(file),
    () => writeFile(file, bytes.subarray(0, random.below(bytes.length))),
    () => writeFile(file, Buffer.concat([bytes.subarray(0, random.below(bytes.length)), Buffer.alloc(64)])),
    () => writeFile(file, Buffer.alloc(bytes.length)),
    () => rm(folder, { recursive: true }),
  ];
  await random.pick(torn)();
}

/** A witness that is started for one check, with its state stored in between. */
async function look(seen: Seen, stored: Stored): Promise<Seen | 'contradiction'> {
  let state = seen;
  try {
    const judgement = await judge(seen, new HonestRoutes(stored), log, async (followed, note) => {
      const opened = openHeads(JSON.parse(JSON.stringify(coveredHeads(followed, note))), log);
      if (opened.kind === 'followed') state = { log: opened.log, note: opened.note, passed: seen.passed };
    });
    return judgement.kind === 'contradiction' ? 'contradiction' : state;
  } catch (cause) {
    if (cause instanceof NotServed) return state;
    throw cause;
  }
}

describe('an honest log', () => {
  test('is never reported by the signer or a witness, through restarts, torn and lost tiles, and lost marks', async () => {
    let followed = 0;
    for (let run = 0; run < HONEST_RUNS; run++) {
      const random = new Random(1000 + run);
      let claims: Claim[] = [];
      let seen = nothingSeen();
      for (let step = 0; step < 6; step++) {
        claims = grow(claims, 1, random);
        const stored = storedIn(inFolder(run), signer);
        const signed = await signOnce(stored, claims.at(-1)?.trees as Claim['trees'], 1_790_000_000_000 + step);
        expect([run, step, signed]).toEqual([run, step, { kind: 'kept' }]);
        if (random.below(3) > 0) {
          const looked = await look(seen, stored);
          expect([run, step, looked === 'contradiction']).toEqual([run, step, false]);
          seen = looked as Seen;
        }
        await stored.checkpoints.close();
        if (random.below(3) === 0) await tear(path.join(inFolder(run), 'trees'), random);
        if (random.below(8) === 0) await rm(path.join(inFolder(run), 'checked.json'), { force: true });
      }
      followed += seen.log.size;
    }
    // A witness that is never served anything would not report anything either.
    expect(followed).toBeGreaterThan(HONEST_RUNS);
  }, 1_200_000);
});
