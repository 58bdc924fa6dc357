import { NO_CONTEXT } from '@countersign/contracts';
import type { Change } from '../counterfactual/change.js';
import { Counterfactual } from '../counterfactual/counterfactual.js';
import { type EnvelopeOf, type ReplayBundle, replayBundle, replayPieces } from '../replay/replay-bundle.js';
import { recordingFrom } from './answer-to.js';
import { TENANT } from './lived-settings.js';
import { LivedWorld } from './lived-world.js';

export const CALLS = 150;

/** A busy case: many rules, a large table that changes meanwhile, limits, and people who approve late. */
export function busyCase(): LivedWorld {
  const world = new LivedWorld(Date.parse('2026-11-01T00:00Z'));
  world.tool('pay', 'commit_high');
  world.tool('stage', 'stage');
  const table = Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`k${n}`, true]));
  const facts = (rows: object, mode: string) =>
    world.set('fact_table_set', { table: 't', mode, rows_json: JSON.stringify(rows), removed: [] });
  facts(table, 'replace');
  const when = (n: number): string => `inputs.total == ${-1 - n} && facts.t["k${n}"]`;
  world.policy(
    'v1',
    Array.from({ length: 100 }, (_, n) => ({ id: `r-${n}`, tools: {}, effect: 'deny', when: when(n) })),
  );
  world.limit('spend', { kind: 'cumulative', scope: 'agent', amount: 'inputs.total', window_ms: 86_400_000, max: 1e6 });
  let last: string | undefined;
  for (let n = 0; n < CALLS; n++) {
    const context = n % 5 === 0 && last ? { ...NO_CONTEXT, depends_on: [last] } : { ...NO_CONTEXT };
    last = world.request(n % 2 ? 'pay' : 'stage', { total: n % 7, n, text: 'x'.repeat(500) }, { context });
    const [oldest] = world.open();
    if (n % 4 === 3 && oldest) world.vote(oldest, `anna-${n}`, 'approve');
    if (n % 10 === 0) facts({ [`x${n}`]: true }, 'merge');
  }
  world.until(world.now_ms + 3_600_000);
  return world;
}

/** Decides the whole case again with another fact and another limit. */
export function decidedAgain(world: LivedWorld): Counterfactual {
  const limit = world.config.by_tenant.get(TENANT)?.limits?.active[0] as Extract<Change, { kind: 'limit' }>['limit'];
  const changes: Change[] = [
    { kind: 'fact', table: 't', set: { other: true }, removed: ['k1'] },
    { kind: 'limit', limit: { ...limit, max: 100 } },
  ];
  const recording = recordingFrom(world);
  return new Counterfactual(recording, changes, [...recording.calls.ids()]);
}

/** For specs and measurements: a few facts of a call. */
export const shortEnvelope: EnvelopeOf = ({ call_id, end }) =>
  JSON.stringify({ call_id, status: end?.outcome.status ?? null, output: end?.outcome.output_json ?? null });

/** The replay bundle of a run with every n-th call of the case; the other calls only share its limit. */
export function bundleOfSome(world: LivedWorld, nth: number): ReplayBundle {
  const recording = recordingFrom(world);
  const own = new Set([...recording.calls.ids()].filter((_, at) => at % nth === 0));
  for (const call_id of [...own])
    for (const named of recording.calls.get(call_id)?.requested.event.call.context.depends_on ?? []) own.add(named);
  const making = replayBundle({ ...recording, own }, { run_id: 'run', transcript: null, call_ids: [...own] }, shortEnvelope);
  for (let made = making.next(); ; made = making.next()) if (made.done) return made.value;
}

/** Builds and writes the replay bundle of the case step by step; yields the text of each step. */
export function* writtenBundle(world: LivedWorld): Generator<string> {
  const messages = Array.from({ length: 5000 }, (_, n) => ({ role: 'user', content: `${n} ${'x'.repeat(150)}` }));
  const recording = recordingFrom(world);
  const run = { run_id: 'run', transcript: { content: { messages } }, call_ids: [...recording.calls.ids()] };
  const making = replayBundle(recording, run, shortEnvelope);
  for (let made = making.next(); ; made = making.next()) {
    if (made.done) return yield* replayPieces(made.value);
    yield '';
  }
}
