import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPlatform } from '../../journeys/embedded-platform.js';
import { type Exception, judge, type SuiteRun, type Verdict } from './judge.js';
import { checksIn, Suite, scenariosOf } from './suite.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const BY_SCENARIO = 'by-scenario';
const RUN_MAX_MS = 150_000;
const SCENARIO_MAX_MS = 40_000;

const [node, suite_dir] = process.argv.slice(2);
if (node === undefined || suite_dir === undefined) throw new Error('usage: main.js NODE SUITE_DIR (see scripts/conformance.sh)');

const exceptions = JSON.parse(readFileSync('test/conformance/mcp/exceptions.json', 'utf8')) as Exception[];
const out = mkdtempSync(path.join(tmpdir(), 'countersign-conformance-'));

function folder(name: string): string {
  const dir = path.join(out, name);
  mkdirSync(dir);
  return dir;
}

/** The first calls of a process are slow; scenarios with short times come first otherwise. */
async function warmUp(platform: EmbeddedPlatform): Promise<void> {
  for (let call = 0; call < 5; call++)
    await platform.admin().request('POST', '/v1/calls', { tool: 'greet', inputs: { name: 'conformance' } });
}

async function ofRevision(suite: Suite, url: string, revision: string): Promise<SuiteRun> {
  const dir = folder(revision);
  await suite.run('server', ['--url', url, '--requirements', revision, '-o', dir], RUN_MAX_MS);
  return { name: revision, scenarios: scenariosOf(suite.dir, revision, 'server'), checks: checksIn(dir) };
}

/** Our sessions with upstreams, one scenario at a time. Those of logins are left out: credentials of upstreams are secrets, nobody logs in. */
async function asClient(suite: Suite, revision: string): Promise<SuiteRun> {
  const name = `client-${revision}`;
  const dir = folder(name);
  const scenarios = scenariosOf(suite.dir, revision, 'client').filter(({ scenario }) => !scenario.startsWith('auth/'));
  const command = `${process.execPath} ${path.join(import.meta.dirname, 'upstream-client.js')}`;
  for (const { scenario } of scenarios)
    await suite.run('client', ['--command', command, '--scenario', scenario, '--spec-version', revision, '-o', dir], SCENARIO_MAX_MS);
  return { name, scenarios, checks: checksIn(dir) };
}

/** Each scenario of tasks alone: in a run by requirements they are not scored. */
async function oneByOne(suite: Suite, url: string): Promise<SuiteRun> {
  const dir = folder(BY_SCENARIO);
  const scenarios = scenariosOf(suite.dir, '2026-07-28', 'server').filter(({ scenario }) => scenario.startsWith('tasks-'));
  for (const { scenario } of scenarios) await suite.run('server', ['--url', url, '--scenario', scenario, '-o', dir], SCENARIO_MAX_MS);
  return { name: BY_SCENARIO, scenarios, checks: checksIn(dir) };
}

function report(name: string, { lines, scored, all }: Verdict): void {
  const counts = `${scored.succeeded} of ${scored.checks} scored checks, ${all.succeeded} of all ${all.checks}`;
  process.stdout.write(`MCP conformance ${name}: ${counts}\n${lines.join('\n')}\n`);
}

const platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: 'conformance' });
try {
  await warmUp(platform);
  const suite = new Suite(node, suite_dir);
  const url = `${platform.base}/mcp`;
  const runs: SuiteRun[] = [];
  for (const revision of REVISIONS) runs.push(await ofRevision(suite, url, revision));
  runs.push(await oneByOne(suite, url));
  for (const revision of REVISIONS) runs.push(await asClient(suite, revision));
  const verdicts = runs.map((run) => ({ run, verdict: judge(run, exceptions) }));
  for (const { run, verdict } of verdicts) report(run.name, verdict);
  const faults = verdicts.flatMap(({ verdict }) => verdict.faults);
  for (const fault of faults) process.stdout.write(`FAILED: ${fault}\n`);
  const all = runs.reduce((sum, { scenarios }) => sum + scenarios.length, 0);
  const passed = verdicts.reduce((sum, { verdict }) => sum + verdict.passed, 0);
  process.stdout.write(`      Tests  ${passed === all ? '' : `${all - passed} failed | `}${passed} passed (${all})\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await platform.close();
  rmSync(out, { recursive: true, force: true });
}
