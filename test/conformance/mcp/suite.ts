import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Check, NamedScenario } from './judge.js';

/** The side that is tested. */
export type Leg = 'server' | 'client';

interface Requirements {
  server: string[];
  client: string[];
  not_scored: { scenario: string; leg: 'server' | 'client' }[];
}

/** The scenarios of a revision for one side, as the suite froze them. */
export function scenariosOf(suite_dir: string, revision: string, leg: Leg): NamedScenario[] {
  const file = path.join(suite_dir, 'requirements', `${revision}.yaml`);
  const { not_scored, ...scored } = parse(readFileSync(file, 'utf8')) as Requirements;
  const unscored = not_scored.filter((one) => one.leg === leg);
  return [...scored[leg].map((scenario) => ({ scenario, scored: true })), ...unscored.map(({ scenario }) => ({ scenario, scored: false }))];
}

/** The checks that a run wrote, by scenario: `[server-]<scenario>-<time>/checks.json`. */
export function checksIn(out_dir: string): Map<string, Check[]> {
  const found = new Map<string, Check[]>();
  for (const folder of readdirSync(out_dir)) {
    const scenario = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
    if (scenario === undefined) continue;
    const checks = JSON.parse(readFileSync(path.join(out_dir, folder, 'checks.json'), 'utf8')) as Check[];
    found.set(scenario, [...(found.get(scenario) ?? []), ...checks]);
  }
  return found;
}

/** The suite on its own Node: it does not start on Node 20. */
export class Suite {
  constructor(
    private readonly node: string,
    readonly dir: string,
  ) {}

  /** Runs the suite and returns its output. Its exit code says too little: the checks are read instead. */
  run(leg: Leg, options: readonly string[], timeout_ms: number): Promise<string> {
    const args = [path.join(this.dir, 'dist/index.js'), leg, ...options];
    const child = spawn(this.node, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill(), timeout_ms);
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve(output);
      });
    });
  }
}
