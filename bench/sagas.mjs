// npm run bench:sagas [-- --chains N] [--waiting N]: what a saga of three steps costs beside the same three calls, in one embedded platform:
// CPU of the process a chain at 64 in flight, p50 alone, and the memory of sagas that wait. Ratios count; each half is measured in turns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { startEmbedded } from './parts/platforms.mjs';
import { median, round } from './parts/report.mjs';
import { cpuOf, rssMiB } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    chains: { type: 'string', default: '600' },
    rounds: { type: 'string', default: '5' },
    waiting: { type: 'string', default: '10000' },
  },
});
const IN_FLIGHT = 64;
const CPU_RATIO_MAX = 1.6;
const ALONE_MORE_MS_MAX = 5;
const WAITING_MIB_MAX = 200;

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-bench-sagas-'));
const platform = await startEmbedded(dir);
const pool = new Pool(platform.url, { connections: 128 });
let serial = 0;

async function post(route, body, headers = {}) {
  const { statusCode, body: answer } = await pool.request({
    method: 'POST',
    path: route,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${platform.token}`, ...headers },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (statusCode >= 300) throw new Error(`${route}: ${statusCode} ${JSON.stringify(json).slice(0, 300)}`);
  return json;
}

/** Two reads and an effect, each with inputs of its own. */
const payment = (n) => ({ account: `acc-${n}`, amount: 100 + (n % 900), note: `chain ${n}` });
const callsOf = (n) => [
  { tool: 'probe_slow', inputs: { duration_ms: 0 } },
  { tool: 'probe_slow', inputs: { duration_ms: 0 } },
  { tool: 'probe_effect', inputs: payment(n) },
];
const sagaOf = (root) => ({ name: 'bench', version: '1.0.0', wait_max_ms: 60_000, root });
const step = (name) => ({ kind: 'step', name, use: { tool: 'probe_slow', version: '^1.0.0', inputs: { duration_ms: { literal: 0 } } } });
const from = (name) => ({ from: `/inputs/${name}` });
const pay = {
  kind: 'step',
  name: 'pay',
  use: { tool: 'probe_effect', version: '^1.0.0', inputs: { account: from('account'), amount: from('amount'), note: from('note') } },
};
const chain = sagaOf({ kind: 'sequence', blocks: [step('one'), step('two'), pay] });
const waiting = sagaOf({
  kind: 'sequence',
  blocks: [
    step('one'),
    { kind: 'wait', name: 'go', wait: 'event', subject: 'go', timeout_ms: 86_400_000, on_timeout: 'fail' },
    step('two'),
  ],
});

async function threeCalls() {
  for (const call of callsOf(serial++)) {
    const answer = await post('/v1/calls', call, { prefer: 'wait=30' });
    if (answer.status !== 'succeeded') throw new Error(`a call ended as ${answer.status}`);
  }
}

const published = { name: chain.name, version: chain.version };

async function oneSaga() {
  const answer = await post('/v1/sagas', { definition: published, inputs: payment(serial++) }, { prefer: 'wait=30' });
  if (answer.status !== 'completed') throw new Error(`a saga ended as ${answer.status}: ${JSON.stringify(answer)}`);
}

async function publish(definition) {
  const route = `/v1/saga-definitions/${definition.name}/versions/${definition.version}`;
  const { statusCode, body } = await pool.request({
    method: 'PUT',
    path: route,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${platform.admin}` },
    body: JSON.stringify(definition),
  });
  if (statusCode !== 201) throw new Error(`${route}: ${statusCode} ${await body.text()}`);
}

async function inFlight(count, at_once, work) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: at_once }, worker));
}

/** CPU of the process, ms, for each piece of work. Includes what the projector does for it. */
async function cpuOfEach(count, work) {
  const { standalone: before } = cpuOf(platform.groups);
  await inFlight(count, IN_FLIGHT, work);
  await sleep(500);
  return (cpuOf(platform.groups).standalone - before) / count;
}

async function aloneMs(count, work) {
  const times = [];
  for (let at = 0; at < count; at++) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return median(times);
}

const chains = Number(options.chains);
await publish(chain);
await publish({ ...waiting, name: 'waiting' });
await inFlight(100, IN_FLIGHT, threeCalls);
await inFlight(100, IN_FLIGHT, oneSaga);
const pairs = [];
for (let at = 0; at < Number(options.rounds); at++) {
  const [calls, saga] = [await cpuOfEach(chains, threeCalls), await cpuOfEach(chains, oneSaga)];
  const [callsAlone, sagaAlone] = [await aloneMs(60, threeCalls), await aloneMs(60, oneSaga)];
  pairs.push({ calls, saga, ratio: saga / calls, callsAlone, sagaAlone, more: sagaAlone - callsAlone });
  const { ratio, more } = pairs.at(-1);
  console.log(
    `round ${at + 1}: CPU ms a chain ${round(calls)} as calls, ${round(saga)} as a saga: ${round(ratio)}; alone p50 ${round(callsAlone)} and ${round(sagaAlone)} ms: ${round(more)} ms more`,
  );
}
const ratio = median(pairs.map((pair) => pair.ratio));
const more = median(pairs.map((pair) => pair.more));

const [pid] = platform.groups.standalone;
await sleep(3_000);
const before_mib = rssMiB(pid);
await inFlight(Number(options.waiting), IN_FLIGHT, async () => {
  await post('/v1/sagas', { definition: { name: 'waiting' }, inputs: {}, saga_id: `wait-${serial++}` });
});
await sleep(5_000);
const waiting_mib = rssMiB(pid) - before_mib;
console.log(`CPU ratio ${round(ratio)} (at most ${CPU_RATIO_MAX}), alone ${round(more)} ms more (at most ${ALONE_MORE_MS_MAX})`);
console.log(`${options.waiting} waiting sagas: ${round(waiting_mib)} MiB more (at most ${WAITING_MIB_MAX})`);
await pool.close();
await platform.stop();
rmSync(dir, { recursive: true, force: true });
process.exitCode = ratio <= CPU_RATIO_MAX && more <= ALONE_MORE_MS_MAX && waiting_mib <= WAITING_MIB_MAX ? 0 : 1;
