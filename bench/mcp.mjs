// node bench/mcp.mjs [--rounds N --calls N --in-flight N --profile]
// The same calls over MCP (2026-07-28) and by POST, in turns, in one embedded process: rates, CPU a call, and their ratio.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ask, runToExitCode, start, stop } from './parts/children.mjs';
import { root, startEmbedded } from './parts/platforms.mjs';
import { round } from './parts/report.mjs';
import { cpuOf } from './parts/usage.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    calls: { type: 'string', default: '4000' },
    'in-flight': { type: 'string', default: '64' },
    profile: { type: 'boolean', default: false },
  },
});
const TO_REACH = 0.5;
const WAYS = ['post', 'mcp'];
const dir = mkdtempSync(path.join(tmpdir(), 'countersign-bench-mcp-'));

async function measure(driver, product, way, tag, calls = Number(options.calls)) {
  const before = cpuOf(product.groups);
  const { url, token } = product;
  const result = await ask(driver, {
    section: way,
    url,
    token,
    tag,
    way,
    calls,
    in_flight: Number(options['in-flight']),
    cap_ms: 30_000,
  });
  if (result.errors > 0) throw new Error(`${result.errors} calls failed: ${result.first_error}`);
  const after = cpuOf(product.groups);
  const names = Object.keys(after);
  const cpu_ms = Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / result.calls]));
  return { rate: result.rate, p50: result.p50, p99: result.p99, cpu_ms, effects: result.effects, keys: result.keys };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function run() {
  const driver = start('driver', process.execPath, [path.join(root, 'bench/driver.mjs')], { dir, ipc: true });
  const product = await startEmbedded(dir, options.profile ? ['--cpu-prof', `--cpu-prof-dir=${process.cwd()}`] : []);
  for (const way of WAYS) await measure(driver, product, way, `warm-${way}`, 2_000);
  const found = { post: [], mcp: [] };
  for (let n = 1; n <= Number(options.rounds); n++)
    for (const way of n % 2 ? WAYS : WAYS.toReversed()) {
      const one = await measure(driver, product, way, `${n}-${way}`);
      found[way].push(one);
      const cpu = Object.entries(one.cpu_ms).map(([name, ms]) => `${name} ${round(ms)} ms`);
      console.log(
        `round ${n} ${way}: ${round(one.rate, 0)} calls/s, p50 ${round(one.p50)} ms, p99 ${round(one.p99)} ms, CPU a call: ${cpu.join(', ')}`,
      );
      if (one.effects !== one.keys) throw new Error(`${one.effects} effects of ${one.keys} keys`);
    }
  await Promise.all([product.stop(), stop(driver)]);
  const ratio = median(found.mcp.map(({ rate }, n) => rate / found.post[n].rate));
  console.log(`\nMCP makes ${round(ratio)} of the calls of POST (median of ${found.mcp.length} rounds; to reach: ${TO_REACH})`);
  return ratio >= TO_REACH ? 0 : 1;
}

runToExitCode(dir, (line) => console.error(line), run);
