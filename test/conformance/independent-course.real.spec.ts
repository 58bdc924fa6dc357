import type { Bundle } from '@countersign/evidence';
import { describe, expect, test } from 'vitest';
import { EvidenceLog, withCauseHashes } from '../forger/evidence-log.js';
import { type Omission, omissions } from '../forger/left-out.js';
import { Random } from '../forger/random.js';
import { journalNames, readJournal } from '../journals/journal-file.js';
import { pythonBundle } from './python-bundle.js';

const SEEDS = 2;
const CALLS = 20;
const recorded = readJournal(journalNames()[0] as string);
const [earlier, log] = [new EvidenceLog(recorded), new EvidenceLog(withCauseHashes(recorded))];

const WORDS: Record<keyof typeof omissions, RegExp> = {
  ancestor: /refused: the record that caused .* is missing: event /,
  vote: /refused: .*vote .*is missing|is missing: event /,
  revision: /refused: (ruling \d+|the ruling or grant .*) is missing|is missing: event /,
  start: /refused: the start before it is missing|is missing: event /,
  swapped: /refused: the records are not in the order of the log/,
};

const verdict = (bundle: Bundle) => pythonBundle(JSON.stringify(bundle), bundle.vkey, { schemas: [] });

/** A forged bundle of a random call that has what it takes. */
async function forged(of: EvidenceLog, forge: Omission, random: Random): Promise<Bundle> {
  for (;;) {
    const attack = forge(await of.bundle(random.pick(of.call_ids)), random);
    if (attack) return attack;
  }
}

describe.each([
  ['an earlier release', earlier],
  ['this release', log],
] as const)('the course of a call in a log of %s', (of, server) => {
  test('is accepted by the verifier in Python', async () => {
    const refused: string[] = [];
    const random = new Random(3);
    for (let n = 0; n < CALLS; n++) {
      const call_id = random.pick(server.call_ids);
      const { status, output } = verdict(await server.bundle(call_id));
      if (status !== 0) refused.push(`${call_id}: ${output}`);
      else expect(output.includes('not proven: completeness')).toBe(of !== 'this release');
    }
    expect(refused).toEqual([]);
  });
});

const whats = Object.keys(omissions) as (keyof typeof omissions)[];

test.each([...whats.map((what) => [what, 'with', log] as const), ...whats.slice(1).map((what) => [what, 'without', earlier] as const)])(
  'a bundle without, or with a moved, %s is refused by it, and the reason names it, %s hashes of causes',
  async (what, _, server) => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const { status, output } = verdict(await forged(server, omissions[what], new Random(seed)));
      expect([seed, status, output]).toEqual([seed, 1, expect.stringMatching(WORDS[what])]);
    }
  },
);
