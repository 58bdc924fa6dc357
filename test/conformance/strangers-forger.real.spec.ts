import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { noteSigner } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attacks } from '../forger/attacks.js';
import { History } from '../forger/history.js';
import { grow } from '../forger/honest-log.js';
import { Random } from '../forger/random.js';
import { HttpLog } from './http-log.js';
import { servedHistory } from './served-history.js';
import { strangers, type Verdict } from './stranger.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 7));
const SEEDS = 3;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'strangers-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What both verifiers say of a history, by somebody who kept an earlier checkpoint. */
async function verdicts(history: History, earlier: string): Promise<Record<string, Verdict>> {
  const log = await HttpLog.serve(await servedHistory(history, signer.verifier));
  const file = path.join(dir, 'earlier.note');
  writeFileSync(file, earlier);
  try {
    const found: Record<string, Verdict> = {};
    for (const [language, verifier] of Object.entries(strangers))
      found[language] = await verifier({ base: log.base, token: '', vkey: signer.verifier.vkey, earlier: file });
    return found;
  } finally {
    await log.close();
  }
}

describe('verifiers of whole logs in Go and Python, against the holder of the key', () => {
  test('accept an honest log', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const honest = await History.publish(grow([], 7, new Random(seed)), signer);
      for (const [language, { code, output }] of Object.entries(await verdicts(honest, honest.note(1 + (seed % 5)))))
        expect([seed, language, code, output]).toEqual([seed, language, 0, expect.stringContaining('verified: 7 entries')]);
    }
  });

  test.each(Object.keys(attacks))('refuse: %s', async (name) => {
    let tried = 0;
    for (let seed = 0; tried < SEEDS && seed < 4 * SEEDS; seed++) {
      const random = new Random(seed);
      const claims = grow([], 6, random);
      const honest = await History.publish(claims, signer);
      const attack = await (attacks[name] as (typeof attacks)[string])(claims, random);
      const forged = await History.publish(attack.claims, signer);
      const first = Math.max(1, attack.seen_min === 0 ? attack.at : attack.seen_min);
      if (forged.size < first) continue;
      tried++;
      for (const [language, { code, output }] of Object.entries(await verdicts(forged, honest.note(first))))
        expect([seed, language, code, output]).toEqual([seed, language, 1, expect.stringMatching(/refused: .{10}/)]);
    }
    expect(tried).toBeGreaterThan(0);
  });
});
