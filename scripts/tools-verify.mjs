// npm run tools:verify: every built-in tool against its eval pack, a line a tool; ends with 1 where one fails.
//   --json         the results on stdout instead of the lines
//   --write        keeps them in packs/<pack>/eval/<tool>@<version>.json, which the registry reads to promote a version
//   --only <tool>  one tool
// Without --write it also fails where a kept result is missing or was made for another contract.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { verifyTool } from '../libs/tool-kit/dist/verify-tool.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined;
const say = args.includes('--json') ? () => undefined : (line) => console.log(line);
// Tools for tests only. probe: its counterparty is started by test/tools/probe-pack.int.spec.ts, which runs the same checks.
// conformance: npm run conformance checks its tools, as the MCP suite names them.
const WITHOUT_EVALS = new Set(['conformance', 'probe']);

function keptDigest(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).contract_digest;
  } catch {
    return undefined;
  }
}

async function verifyPack({ folder, dist, index, kept, evals_at }) {
  const load = (name) => import(pathToFileURL(join(root, dist, name)).href);
  const { pack } = await load(index);
  const { evals } = await load('evals.js');
  const results = [];
  for (const tool of pack.tools) {
    const { name, version } = tool.contract;
    if (only !== undefined && name !== only) continue;
    const started = performance.now();
    const id = `${name}@${version}`.padEnd(36);
    if (!evals[name]) {
      say(`FAIL ${id} has no eval pack: add its line to ${evals_at}`);
      results.push({ tool: name, version, failed: 1 });
      continue;
    }
    const result = await verifyTool(tool, evals[name], () => new Date());
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    const deprecated = tool.deprecated ? ` deprecated since ${tool.deprecated.since}` : '';
    say(
      `${result.failed === 0 ? 'ok  ' : 'FAIL'} ${id} ${String(result.passed).padStart(3)} passed, ${result.failed} failed  ${took}${deprecated}`,
    );
    for (const each of result.cases)
      if (!each.passed) say(`       ${each.title}\n         ${each.message.replaceAll('\n', '\n         ')}`);
    const file = join(root, kept, `${name}@${version}.json`);
    if (args.includes('--write')) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
    } else if (keptDigest(file) !== result.contract_digest) {
      say(`FAIL ${id} no kept result for this contract: npm run tools:verify -- --write`);
      result.failed++;
    }
    results.push(result);
  }
  return results;
}

const results = [];
const packs = readdirSync(join(root, 'packs'))
  .sort()
  .filter((folder) => !WITHOUT_EVALS.has(folder))
  .map((folder) => ({
    folder,
    dist: `packs/${folder}/dist`,
    index: 'index.js',
    kept: `packs/${folder}/eval`,
    evals_at: `packs/${folder}/src/evals.ts`,
  }));
packs.push({
  folder: 'http',
  dist: 'libs/runtimes/dist/http',
  index: 'http-pack.js',
  kept: 'libs/runtimes/eval/http',
  evals_at: 'libs/runtimes/src/http/evals.ts',
});
for (const pack of packs) results.push(...(await verifyPack(pack)));
const failed = results.filter((result) => result.failed > 0);
if (args.includes('--json')) console.log(JSON.stringify(results));
say(`${results.length} tools, ${results.length - failed.length} verified, ${failed.length} not`);
process.exitCode = failed.length > 0 || results.length === 0 ? 1 : 0;
