import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { noteSigner } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attacks } from '../forger/attacks.js';
import { openGeneration } from '../forger/generations.js';
import { History } from '../forger/history.js';
import { grow } from '../forger/honest-log.js';
import { Random } from '../forger/random.js';
import { HttpLog } from './http-log.js';
import { servedHistory } from './served-history.js';
import { strangers, type Verdict } from './stranger.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 7));
const SEEDS = 3;
/** For what each language refuses a generation that no decision allows; other attacks have many reasons. */
const REASONS: Record<string, Record<string, RegExp>> = {
  'open a generation without a decision': {
    Go: /is opened without decision \S+ on the record|a decision does not stand on the record/,
    Python: /is opened without a decision on the record|a decision does not stand on the record|a path is too (short|long)/,
  },
  'open a generation with a base that hides records': {
    Go: /its base offset \d+ and the head of \S+ are not what decision \S+ allows|begins at offset \d+: records from \d+ on would be in no tree/,
    Python: /is not what its decision allows|leaves records in no tree/,
  },
  'open a generation by a decision of before': {
    Go: /a decision was covered by an earlier entry/,
    Python: /a decision was covered by an earlier entry/,
  },
  'continue the frozen tree': { Go: /is frozen and moves/, Python: /is frozen and moves/ },
};
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

  test('accept a log in which an operator let damaged trees go on, and name what was frozen', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = new Random(seed);
      let claims = grow([], 3, random);
      for (let n = 0; n < 2; n++) claims = grow(await openGeneration(claims, random), 1, random, `after ${n}`);
      const honest = await History.publish(claims, signer);
      const frozen = expect.stringMatching(
        /(NOT CONTINUED: \S+#\d is frozen; \S+#\d goes on from offset \d+, \d+ were signed: decision \S+\n){2}/,
      );
      for (const [language, { code, output }] of Object.entries(await verdicts(honest, honest.note(1))))
        expect([seed, language, code, output]).toEqual([seed, language, 0, frozen]);
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
        expect([seed, language, code, output]).toEqual([
          seed,
          language,
          1,
          expect.stringMatching(REASONS[name]?.[language] ?? /refused: .{10}/),
        ]);
    }
    expect(tried).toBeGreaterThan(0);
  });
});
