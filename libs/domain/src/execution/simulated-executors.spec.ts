import { expect, test } from '@jest/globals';
import type { Recovery } from './result.js';
import { SimulatedExecutors } from './simulated-executors.js';

const SEEDS = 2000;
const STEPS = 150;
const KEYS = 4;
const kinds: Readonly<Record<string, Recovery>> = {
  'takes no key and cannot be asked': { write: true, takes_key: false, has_reconcile: false, settle_ms: 0, settle_is_final: false },
  'can be asked': { write: true, takes_key: false, has_reconcile: true, settle_ms: 0, settle_is_final: false },
  'can be asked and settles for good': { write: true, takes_key: false, has_reconcile: true, settle_ms: 0, settle_is_final: true },
  'takes our key': { write: true, takes_key: true, has_reconcile: false, settle_ms: 0, settle_is_final: false },
};

test.each(Object.entries(kinds))(
  `a tool that %s: at most one effect a key, whatever happens in between (${SEEDS} seeds)`,
  (_kind, recovery) => {
    let effects = 0;
    let ended = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const simulated = new SimulatedExecutors(seed, recovery, KEYS).run(STEPS);
      for (const [key, count] of simulated.effects) if (count > 1) throw new Error(`seed ${seed}: ${count} effects of ${key}`);
      effects += simulated.effects.size;
      const calls = new Set(simulated.log.filter((entry) => entry.kind !== 'started').map((entry) => entry.call));
      if (calls.size !== simulated.calls) throw new Error(`seed ${seed}: ${simulated.calls - calls.size} calls without an end`);
      ended += calls.size;
    }
    expect(effects).toBeGreaterThan(SEEDS);
    expect(ended).toBeGreaterThan(SEEDS * 10);
  },
);

test('the model sees a second effect where a rule is broken: a reconcile that counts too early', () => {
  const broken: Recovery = { write: true, takes_key: false, has_reconcile: true, settle_ms: 0, settle_is_final: false };
  let twice = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const simulated = new SimulatedExecutors(seed, broken, KEYS, { counts_too_early: true }).run(STEPS);
    for (const count of simulated.effects.values()) if (count > 1) twice++;
  }
  expect(twice).toBeGreaterThan(0);
});
