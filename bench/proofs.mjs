// node bench/proofs.mjs [--rounds 10 --processes 2 --calls 6000 --in-flight 64 --loads none,shared,own --same --before FOLDER]
// CPU a call with and without hashes of causes, cuts and the tree of cases: one process that has them off and on in turns, for two processes with
// the same code differ by up to a tenth; medians of paired ratios. Calls have no case, share a few, or have one each. `--same`: always
// with, which shows the noise of the measurement. `--before`: against the build of another checkout, two processes at the same time.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { ask, runToExitCode, start, stop } from './parts/children.mjs';
import { root, startEmbedded } from './parts/platforms.mjs';
import { cpuOf, machine } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    processes: { type: 'string', default: '2' },
    calls: { type: 'string', default: '6000' },
    'in-flight': { type: 'string', default: '64' },
    loads: { type: 'string', default: 'none,shared,own' },
    same: { type: 'boolean', default: false },
    before: { type: 'string' },
  },
});
const TO_REACH = 1.03;
const WARM_ROUNDS = 3;
const SHARED_CASES = 8;
/** A checkpoint covers what a round wrote within a second, and the leaves of its cases are covered a second later. */
const SETTLE_MS = 2_300;
const calls = Number(options.calls);
const casesOf = { none: 0, shared: SHARED_CASES, own: calls };
const dir = mkdtempSync(path.join(tmpdir(), 'countersign-bench-proofs-'));

/** New cases; undefined for calls without one. */
async function openCases({ url, admin }, count) {
  if (count === 0) return undefined;
  const pool = new Pool(url, { connections: 32 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin}` };
  const ids = [];
  let left = count;
  const open = async () => {
    while (left-- > 0) {
      const request = () => pool.request({ method: 'POST', path: '/v1/cases', headers, body: '{"title":"bench"}' });
      // A busy machine may take so long between two requests that the server closes the connection.
      const { statusCode, body } = await request().catch(request);
      const answer = await body.json();
      if (statusCode !== 201) throw new Error(`no case: ${statusCode} ${JSON.stringify(answer)}`);
      ids.push(answer.case_id);
    }
  };
  await Promise.all(Array.from({ length: 32 }, open));
  await pool.destroy();
  return ids;
}

async function run(driver, product, load, tag) {
  const { url, token } = product;
  if (load === 'own' || product.load !== load) {
    Object.assign(product, { load, case_ids: await openCases(product, casesOf[load]) });
    await sleep(SETTLE_MS);
  }
  const { case_ids } = product;
  const before = cpuOf(product.groups);
  const result = await ask(driver, {
    section: load,
    url,
    token,
    tag,
    case_ids,
    calls,
    in_flight: Number(options['in-flight']),
    cap_ms: 60_000,
  });
  if (result.errors > 0) throw new Error(`${result.errors} calls failed: ${result.first_error}`);
  await sleep(SETTLE_MS);
  const after = cpuOf(product.groups);
  const each = (name) => (after[name] - before[name]) / result.calls;
  return { rate: result.rate, all: each('standalone'), main: each('standalone:main') };
}

const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const median = (values) => quantile(values, 0.5);

/** One process, which has proofs off and on in turns. */
async function takesTurns(number) {
  const preload = ['--import', path.join(root, 'bench/parts/proofs-switch.mjs')];
  const product = await startEmbedded(folder(`${number}`), preload);
  let isOff = false;
  const measured = async (driver, off, load, tag) => {
    if (off !== isOff && !options.same) process.kill(product.groups.standalone[0], 'SIGUSR2');
    isOff = off;
    return run(driver, product, load, `${tag}-${off}`);
  };
  /** Which of the two comes first changes from round to round. */
  const round = async (driver, load, n) => {
    const order = n % 2 ? [true, false] : [false, true];
    const found = [];
    for (const off of order) found.push(await measured(driver, off, load, `${load}-${n}`));
    return order[0] ? found : found.reverse();
  };
  return { round, stop: () => product.stop() };
}

/** Two processes under the same calls at the same time, so that they see the same noise. */
async function sideBySide(number) {
  const [off, on] = await Promise.all([
    startEmbedded(folder(`${number}-before`), [], {}, path.resolve(options.before)),
    startEmbedded(folder(`${number}-after`)),
  ]);
  const round = (driver, load, n) => Promise.all([off, on].map((product) => run(driver, product, load, `${load}-${n}`)));
  return { round, stop: () => Promise.all([off.stop(), on.stop()]) };
}

function folder(name) {
  const made = path.join(dir, name);
  mkdirSync(made, { recursive: true });
  return made;
}

async function measure(driver, number, rounds) {
  const side = await (options.before ? sideBySide : takesTurns)(number);
  for (const load of options.loads.split(',')) {
    for (let n = 1 - WARM_ROUNDS; n <= Number(options.rounds); n++) {
      const before = machine();
      const [a, b] = await side.round(driver, load, n);
      const after = machine();
      if (n < 1) continue;
      const busy = 1 - (after.idle - before.idle) / (after.total - before.total);
      rounds.push({ load, number, off: a, on: b, busy });
      console.error(
        `process ${number} ${load} ${n}: ${(1000 * a.all).toFixed(0)} → ${(1000 * b.all).toFixed(0)} µs, ${(b.all / a.all).toFixed(3)}`,
      );
    }
    report(
      load,
      rounds.filter((round) => round.load === load && round.number === number),
      `process ${number}, `,
    );
  }
  await side.stop();
}

function report(load, rounds, which = '') {
  const ratios = rounds.map(({ off, on }) => on.all / off.all);
  const main = rounds.map(({ off, on }) => on.main / off.main);
  const us = (side, threads) => (1000 * median(rounds.map((round) => round[side][threads]))).toFixed(0);
  const percent = (ratio) => `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(1)} %`;
  console.log(
    `${which}${load}: ${rounds.length} rounds, CPU a call ${us('off', 'all')} → ${us('on', 'all')} µs, median of paired ratios ${percent(median(ratios))}` +
      ` (quartiles ${percent(quantile(ratios, 0.25))}, ${percent(quantile(ratios, 0.75))}); main thread ${us('off', 'main')} → ${us('on', 'main')} µs, ${percent(median(main))};` +
      ` machine busy ${(100 * median(rounds.map(({ busy }) => busy))).toFixed(0)} %, load ${loadavg()[0].toFixed(1)}`,
  );
  return median(ratios);
}

async function bench() {
  const driver = start('driver', process.execPath, [path.join(root, 'bench/driver.mjs')], { dir, ipc: true });
  const rounds = [];
  for (let number = 1; number <= Number(options.processes); number++) await measure(driver, number, rounds);
  await stop(driver);
  console.log(`\nall processes (to reach: at most +${((TO_REACH - 1) * 100).toFixed(0)} %)`);
  const found = options.loads.split(',').map((load) =>
    report(
      load,
      rounds.filter((round) => round.load === load),
    ),
  );
  return options.same || found.every((ratio) => ratio <= TO_REACH) ? 0 : 1;
}

await runToExitCode(dir, (line) => console.error(line), bench);
