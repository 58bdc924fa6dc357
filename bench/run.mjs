// npm run bench [-- --mode embedded|kafka --rounds N --scale X --short --no-floor --profile --save-baseline]
// The product next to the floor in one run: the same calls, the same client, rounds A B, B A; medians over rounds.
import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, runToExitCode, start, stop } from './parts/children.mjs';
import { projectorLag, root, startEmbedded, startFloor, startKafka } from './parts/platforms.mjs';
import { breaches, compare, ratios, round, saveBaseline, table } from './parts/report.mjs';
import { cpuOf, machine, peakMiB, tree } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    mode: { type: 'string', default: 'embedded' },
    rounds: { type: 'string' },
    scale: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
    floor: { type: 'boolean', default: true },
    profile: { type: 'boolean', default: false },
    'save-baseline': { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const rounds = Number(options.rounds ?? (options.short ? 1 : 3));
const scale = Number(options.scale) * (options.short ? 0.4 : 1);
const cap_ms = options.short ? 6_000 : 15_000;
const baselineFile = path.join(root, 'bench/baseline.json');
const count = (calls) => Math.max(50, Math.round(calls * scale));
const sections = [
  { section: 'alone', calls: count(200), in_flight: 1 },
  { section: '64 in flight', calls: count(10_000), in_flight: 64 },
  { section: '256 in flight', calls: count(15_000), in_flight: 256 },
  // The same write with one resource named: what it costs beside the section above. The floor has no such thing.
  { section: '256, one resource', calls: count(15_000), in_flight: 256, tool: 'probe_named_effect', product_only: true },
  { section: 'each 5 times', calls: count(2_000), in_flight: 64, copies: 5 },
];

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-bench-'));
const note = (line) => process.stderr.write(`bench: ${line}\n`);

/** The client's process; one section at a time. */
class Driver {
  constructor() {
    this.part = start('driver', process.execPath, [path.join(root, 'bench/driver.mjs')], { dir, ipc: true });
  }

  drive(request) {
    return ask(this.part, request);
  }
}

async function measure(driver, target, section, n) {
  const groups = { ...target.groups, client: [driver.part.child.pid] };
  const before = { cpu: cpuOf(groups), machine: machine() };
  const { url, token } = target;
  const result = await driver.drive({
    ...section,
    url,
    token,
    tag: `r${n}-${section.in_flight}x${section.copies ?? 1}${section.tool ?? ''}`,
    cap_ms,
  });
  const after = { cpu: cpuOf(groups), machine: machine() };
  const requests = Math.max(1, result.calls);
  const cpu_ms = Object.fromEntries(Object.keys(before.cpu).map((name) => [name, (after.cpu[name] - before.cpu[name]) / requests]));
  for (const name of Object.keys(cpu_ms)) if (/^(client|postgres|broker|redis):main$/.test(name)) delete cpu_ms[name];
  const busy = 1 - (after.machine.idle - before.machine.idle) / Math.max(1, after.machine.total - before.machine.total);
  note(
    `round ${n} ${target.name}, ${section.section}: ${round(result.rate, 0)} calls/s, p50 ${round(result.p50)} ms, p99 ${round(result.p99)} ms`,
  );
  return { ...result, round: n, target: target.name, cpu_ms, busy };
}

/** Waits until the views show everything, at most a minute. */
async function caughtUp(target) {
  const began = performance.now();
  const lag = await projectorLag(target);
  for (let quiet = 0; quiet < 2 && performance.now() - began < 60_000; await sleep(150))
    quiet = (await projectorLag(target)) === 0 ? quiet + 1 : 0;
  return { lag, secs: (performance.now() - began) / 1000, left: await projectorLag(target) };
}

async function run() {
  const driver = new Driver();
  const product =
    options.mode === 'kafka'
      ? await startKafka(dir)
      : await startEmbedded(dir, options.profile ? ['--cpu-prof', `--cpu-prof-dir=${process.cwd()}`] : []);
  note(`${product.name} ready after ${round(product.start_secs)} s (first start)`);
  const floor = options.floor ? await startFloor(dir) : undefined;
  const targets = floor ? [floor, product] : [product];
  for (const target of targets)
    await driver.drive({ ...sections[1], ...target, groups: undefined, calls: count(2_000), tag: 'warm', cap_ms: 5_000 });
  const results = [];
  for (let n = 1; n <= rounds; n++) {
    for (const section of sections)
      for (const target of n % 2 ? targets : targets.toReversed())
        if (target === product || !section.product_only) results.push(await measure(driver, target, section, n));
  }
  const views = await caughtUp(product);
  const memory = Object.entries(product.groups).map(
    ([name, pids]) =>
      `${name} ${round(
        tree(pids[0]).reduce((sum, pid) => sum + peakMiB(pid), 0),
        0,
      )} MiB`,
  );
  const warm = product.restart ? await product.restart() : undefined;
  await Promise.all([...targets.map((target) => target.stop()), stop(driver.part)]);
  return { product, results, views, memory, warm };
}

function print({ product, results, views, memory, warm }) {
  const measured = ratios(results, product.name);
  const broken = [...breaches(results), ...(views.left > 0 ? [`the views are ${views.left} records behind after a minute`] : [])];
  for (const breach of broken) console.log(`BROKEN: ${breach}`);
  console.log(`\n${product.name}, ${rounds} rounds, ${cpus().length} CPUs, Node ${process.version}\n\n${table(results)}\n`);
  console.log(`memory at its peak: ${memory.join(', ')}`);
  console.log(`start to ready: ${round(product.start_secs)} s first${warm === undefined ? '' : `, ${round(warm)} s again`}`);
  console.log(`projector: ${views.lag} records behind at the end, caught up after ${round(views.secs)} s, ${views.left} left`);
  if (options.floor) {
    console.log(
      `of the floor: ${round(measured.rate_64)} at 64 in flight, ${round(measured.rate_256)} at 256; alone p50 ${round(measured.p50_alone)} times; each 5 times ${round(measured.key_rate_repeated)}`,
    );
    for (const warning of compare(baselineFile, product.name, measured)) console.log(`WARNING: ${warning}`);
    if (options['save-baseline']) saveBaseline(baselineFile, product.name, measured);
  }
  return broken.length === 0 ? 0 : 1;
}

await runToExitCode(dir, note, async () => print(await run()));
