// npm run bench:noisy-neighbour [-- --only regex|streams|bodies --rounds N --seconds S --short]
// One tenant sends calls at a fixed rate while a tenant (or a client without a key) attacks: first a sink, which is not part of the platform,
// then the platform. Its p99 beside the attack may be three times its own at most. Rounds of pairs; the median of their ratios counts. Each process has one job.
// `--short` is for machines that stand still now and then (three rounds): it judges the p50, the CPU and the memory, and prints the p99.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, runToExitCode, start, stop } from './parts/children.mjs';
import { root, startEmbedded } from './parts/platforms.mjs';
import { median, round } from './parts/report.mjs';
import { cpuOf, rssMiB } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    short: { type: 'boolean', default: false },
  },
});
const RATIO_MAX = 3;
/** Below this a ratio says more of the machine's timers than of the platform. */
const P99_MS_MIN = 10;
/** A short run judges memory, too, and the CPU beside an attack in times of what the victim alone costs (`cpu_ratio_max` of each attack). */
const RSS_MIB_MAX = 1024;
const rounds = Number(options.rounds ?? (options.short ? 3 : 5));
const for_ms = Number(options.seconds) * 1000;
const WARM_MS = 1000;
/** So many that one pause of the process is not the p99. */
const VICTIM_PER_S = 150;
/** Sizes that show the faults in a platform without bounds. The victim is measured when an attack has gone on for `ramp_ms`. */
const attacks = {
  // Searches have threads of their own, and those may take what the machine has left.
  regex: { per_s: 20, ramp_ms: 500, cpu_ratio_max: 8 },
  streams: { per_s: 800, streams: 2400, ramp_ms: 3000, cpu_ratio_max: 4 },
  bodies: { per_s: 200, halves: 400, ramp_ms: 500, cpu_ratio_max: 4 },
};
const chosen = Object.keys(attacks).filter((kind) => options.only === undefined || options.only === kind);
if (chosen.length === 0) throw new Error(`--only is one of ${Object.keys(attacks).join(', ')}, not ${options.only}`);

const dir = mkdtempSync(path.join(tmpdir(), 'countersign-neighbour-'));
const note = (line) => process.stderr.write(`bench: ${line}\n`);

/** A process that handles one request at a time. */
class Neighbour {
  constructor(name) {
    this.part = start(name, process.execPath, [path.join(root, 'bench/neighbour.mjs')], { dir, ipc: true });
  }

  ask(act, terms = {}) {
    return ask(this.part, { act, ...terms });
  }
}

/** A tenant of its own with an agent, whose key it answers. */
async function tenant(url, tenant_id) {
  const admin = readFileSync(path.join(dir, 'data/admin.key'), 'utf8').trim();
  const post = async (to, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin}` };
    const response = await fetch(`${url}${to}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  await post('/v1/tenants', { tenant_id });
  return (await post('/v1/keys', { tenant_id, principal: { kind: 'agent', id: 'bench', roles: ['agent'] } })).key;
}

/** What the attacker searches: a line that backtracks for ever, letters in which no two parts are alike, and 60 usual files. */
function fillWorkspace(folder) {
  mkdirSync(path.join(folder, 'docs'), { recursive: true });
  writeFileSync(path.join(folder, 'long.txt'), `${'a'.repeat(60)}!\n`);
  let state = 1;
  const letters = Array.from({ length: 1 << 19 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 ? 'a' : 'b';
  });
  writeFileSync(path.join(folder, 'letters.txt'), `${letters.join('')}!\n`);
  for (let n = 0; n < 60; n++) writeFileSync(path.join(folder, `docs/${n}.txt`), 'one line of reading\n'.repeat(800));
}

const cpuMs = (pid) => cpuOf({ platform: [pid] }).platform;
const WINDOW_MS = 400;
const IDLE_SHARE = 0.15;

/** Waits until the platform has done with an attack and is idle, at most 10 s. */
async function settled(pid) {
  for (let calm = 0, n = 0; calm < 2 && n < 25; n++) {
    const before = cpuMs(pid);
    await sleep(WINDOW_MS);
    calm = cpuMs(pid) - before < IDLE_SHARE * WINDOW_MS ? calm + 1 : 0;
  }
}

/** One pair: the victim while the same attack goes to the sink, then beside the attack. An attacker takes time of this machine, too. */
async function pair({ url, pid, sink }, { victim, attacker }, tokens, { kind, n, for_ms }) {
  const terms = { url, token: tokens.victim, per_s: VICTIM_PER_S, for_ms };
  const beneath = async (attacked, tag) => {
    await attacker.ask('begin', { kind, url: attacked, token: tokens.attacker, ...attacks[kind] });
    await sleep(attacks[kind].ramp_ms);
    const measured = await victim.ask('measure', { ...terms, tag: `${kind}-${n}-${tag}` });
    return { measured, answers: await attacker.ask('end') };
  };
  const idle = cpuMs(pid);
  const { measured: alone } = await beneath(sink, 'alone');
  const own_cpu_secs = (cpuMs(pid) - idle) / 1000;
  await settled(pid);
  const before = cpuMs(pid);
  const { measured: beside, answers } = await beneath(url, 'beside');
  const platform = { own_cpu_secs, cpu_secs: (cpuMs(pid) - before) / 1000, rss_mib: rssMiB(pid) };
  await settled(pid);
  note(
    `${kind}, ${n === 0 ? 'warm-up' : `round ${n}`}: p99 ${round(alone.p99)} ms alone, ${round(beside.p99)} ms beside; worst ${round(beside.worst)} ms, healthz p99 ${round(beside.health_p99)} ms; attacker ${JSON.stringify(answers)}; platform ${round(own_cpu_secs)} s of CPU alone, ${round(platform.cpu_secs)} s beside, ${round(platform.rss_mib, 0)} MiB`,
  );
  return { kind, alone, beside, ratio: beside.p99 / Math.max(alone.p99, P99_MS_MIN / RATIO_MAX), platform };
}

async function run() {
  const settings = { COUNTERSIGN_PACKS: 'probe,workspace' };
  const product = await startEmbedded(dir, [], settings);
  const { url } = product;
  const drain = start('sink', process.execPath, [path.join(root, 'bench/sink.mjs')], { dir, ipc: true });
  const [{ port }] = await once(drain.child, 'message');
  const target = { url, pid: product.groups.standalone[0], sink: `http://127.0.0.1:${port}` };
  const tokens = { victim: await tenant(url, 'victim'), attacker: await tenant(url, 'attacker') };
  fillWorkspace(path.join(dir, 'workspace/attacker'));
  const neighbours = { victim: new Neighbour('victim'), attacker: new Neighbour('attacker') };
  await neighbours.victim.ask('measure', { url, token: tokens.victim, per_s: 200, for_ms: 4_000, tag: 'warm' });
  // Code that runs for the first time is compiled first: that is no attack.
  for (const kind of chosen) await pair(target, neighbours, tokens, { kind, n: 0, for_ms: WARM_MS });
  const pairs = [];
  for (let n = 1; n <= rounds; n++)
    for (const kind of n % 2 ? chosen : chosen.toReversed()) pairs.push(await pair(target, neighbours, tokens, { kind, n, for_ms }));
  await Promise.all([product.stop(), stop(drain), ...Object.values(neighbours).map(({ part }) => stop(part))]);
  return pairs;
}

const lateFaults = (kind, ratio) =>
  ratio <= RATIO_MAX
    ? []
    : [`${kind}: beside this attack another tenant's p99 is ${round(ratio)} times its own; at most ${RATIO_MAX} is right`];

/** What holds on a machine that stands still now and then: half of the calls, CPU and memory. */
function steadyFaults(kind, own) {
  const p50 = median(own.map(({ alone, beside }) => beside.p50 / Math.max(alone.p50, P99_MS_MIN / RATIO_MAX)));
  const cpu = median(own.map(({ platform }) => platform.cpu_secs / platform.own_cpu_secs));
  const rss = Math.max(...own.map(({ platform }) => platform.rss_mib));
  return [
    [p50, RATIO_MAX, "another tenant's p50 is", 'times its own'],
    [cpu, attacks[kind].cpu_ratio_max, 'the platform takes', 'times the CPU'],
    [rss, RSS_MIB_MAX, 'the platform takes', 'MiB'],
  ]
    .filter(([found, max]) => !(found <= max))
    .map(([found, max, what, unit]) => `${kind}: beside this attack ${what} ${round(found)} ${unit}; at most ${max} is right`);
}

function print(pairs) {
  const broken = [];
  console.log(`\nbench noisy-neighbour, ${rounds} pairs of ${for_ms / 1000} s, ${cpus().length} CPUs, Node ${process.version}`);
  for (const kind of chosen) {
    const own = pairs.filter((each) => each.kind === kind);
    const of = (read) => round(median(own.map(read)));
    const ratio = median(own.map((each) => each.ratio));
    const errors = own.reduce((sum, { alone, beside }) => sum + alone.errors + beside.errors, 0);
    console.log(
      `  ${kind.padEnd(8)} p99 ${of(({ alone }) => alone.p99)} ms alone, ${of(({ beside }) => beside.p99)} ms beside: ${round(ratio)} times (at most ${RATIO_MAX}); p50 ${of(({ alone }) => alone.p50)} and ${of(({ beside }) => beside.p50)} ms; healthz p99 ${of(({ beside }) => beside.health_p99)} ms; ${of(({ platform }) => platform.own_cpu_secs)} and ${of(({ platform }) => platform.cpu_secs)} s of CPU`,
    );
    broken.push(...(options.short ? steadyFaults(kind, own) : lateFaults(kind, ratio)));
    const first = own.flatMap(({ alone, beside }) => [alone.first_error, beside.first_error]).find((each) => each !== null);
    if (errors > 0) broken.push(`${kind}: ${errors} requests of the victim failed, the first: ${first}`);
  }
  for (const each of broken) console.log(`BROKEN: ${each}`);
  return broken.length === 0 ? 0 : 1;
}

await runToExitCode(dir, note, async () => print(await run()));
