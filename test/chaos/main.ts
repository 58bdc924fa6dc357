import { parseArgs } from 'node:util';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import { duplicates } from './duplicates.js';
import { EmbeddedTarget } from './embedded-target.js';
import { kills } from './kills.js';
import { lostAnswers } from './lost-answers.js';
import { namedCrashes } from './named-crashes.js';
import { offsetResets } from './offset-resets.js';
import { Orders } from './orders.js';
import { refolded } from './refolded.js';
import { SagaOrders, type SagaVerdict } from './saga-orders.js';
import { type Scenario, sagaFaults, sizes } from './scenario.js';
import { seededRandom } from './seeded-random.js';
import type { ChaosTarget } from './target.js';
import { zombies } from './zombies.js';

const scenarios: readonly Scenario[] = [duplicates, lostAnswers, offsetResets, kills, namedCrashes, zombies];

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'embedded' },
    size: { type: 'string', default: 'pr' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    calls: { type: 'string', default: '' },
    kills: { type: 'string', default: '' },
    rounds: { type: 'string', default: '' },
  },
});

async function startTarget(mode: string, env: Record<string, string>): Promise<ChaosTarget> {
  if (mode === 'embedded') return EmbeddedTarget.start(env);
  const { KafkaTarget } = await import('./kafka-target.js');
  return KafkaTarget.start(env);
}

/** Runs one scenario with its own platform and counterparty; returns the number of faults. */
async function runScenario(scenario: Scenario, seed: number): Promise<number> {
  const counterparty = await Counterparty.start();
  try {
    const target = await startTarget(values.mode, { COUNTERSIGN_PROBE_URL: counterparty.url });
    try {
      return await judged(scenario, seed, target, counterparty);
    } finally {
      await target.close();
    }
  } finally {
    await counterparty.stop();
  }
}

/** Nothing where a scenario starts no sagas. */
const sagaCounts = ({ sagas, completed, open }: SagaVerdict) =>
  sagas === 0 ? {} : { sagas, sagas_completed: completed, sagas_open: open };

async function judged(scenario: Scenario, seed: number, target: ChaosTarget, counterparty: Counterparty): Promise<number> {
  const named = sizes[values.size as keyof typeof sizes];
  const size = {
    ...named,
    calls: Number(values.calls) || named.calls,
    kills: Number(values.kills) || named.kills,
    crash_rounds: Number(values.rounds) || (target.mode === 'kafka' ? named.crash_rounds_kafka : named.crash_rounds),
  };
  const started = performance.now();
  const orders = new Orders(() => target.api(), counterparty);
  const sagas = new SagaOrders(() => target.api(), counterparty);
  await orders.begin();
  const counted = await scenario.run({
    target,
    counterparty,
    orders,
    sagas,
    size,
    random: seededRandom(seed),
    say: (line) => console.log(`  ${scenario.name}: ${line}`),
  });
  const verdict = await orders.verify();
  const ofSagas = await sagas.verify();
  const judgedOf = scenario.judge?.(verdict, counted, size, target.mode) ?? [];
  const faults = [...verdict.faults, ...sagaFaults(ofSagas), ...(await refolded(target.api())), ...judgedOf];
  const { orders: n, succeeded, failed, in_doubt, effects, failures } = verdict;
  console.log(
    `chaos ${values.mode} ${scenario.name} [${scenario.invariants} I6] N=${n} ${JSON.stringify({ ...counted, ...sagaCounts(ofSagas), succeeded, failed, in_doubt, effects })} ${((performance.now() - started) / 1000).toFixed(1)} s: ${faults.length === 0 ? 'held' : 'BROKEN'}`,
  );
  for (const [why, count] of Object.entries(failures).slice(0, 10)) console.log(`    ${count} ${why}`);
  for (const fault of faults.slice(0, 20)) console.log(`    ${fault}`);
  if (faults.length > 0) console.log(`    what there was is kept in ${await target.keep()}`);
  return faults.length;
}

// What a time limit ends takes the platform with it.
process.once('SIGTERM', () => process.exit(143));
const seed = Number(values.seed);
console.log(`chaos: mode ${values.mode}, size ${values.size}, seed ${seed}`);
const chosen = scenarios.filter(({ name }) => name.includes(values.only));
if (chosen.length === 0) console.log(`chaos: no scenario is called ${values.only}`);
let broken = chosen.length === 0 ? 1 : 0;
for (const scenario of chosen) {
  try {
    if ((await runScenario(scenario, seed)) > 0) broken++;
  } catch (error) {
    broken++;
    console.log(`chaos ${values.mode} ${scenario.name}: BROKEN, it could not run: ${error instanceof Error ? error.stack : error}`);
  }
}
console.log(`chaos: ${broken === 0 ? 'every invariant held' : `${broken} scenarios are broken`}`);
process.exitCode = broken === 0 ? 0 : 1;
