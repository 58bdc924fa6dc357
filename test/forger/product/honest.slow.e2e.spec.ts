import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projections } from '@countersign/cli/commands/projections';
import { scrub } from '@countersign/cli/commands/scrub';
import { verify } from '@countersign/cli/commands/verify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../../journeys/api.js';
import type { EmbeddedPlatform } from '../../journeys/embedded-platform.js';
import { daysFromNow } from '../../journeys/time-shift.js';
import { Random } from '../random.js';
import { bundleOf, HonestHistory, until } from './honest-history.js';

const RUNS = Number(process.env.COUNTERSIGN_TEST_FORGER_HONEST ?? 1);
const FIRST = Number(process.env.COUNTERSIGN_TEST_FORGER_FIRST ?? 0);
const AGO_DAYS = 200;
let history: HonestHistory;

beforeAll(async () => {
  history = await HonestHistory.make(daysFromNow(-AGO_DAYS));
});
afterAll(() => history.close());

/** An honest installation with old records, and what happens to it. Each step ends with the same checks as after an attack. */
class HonestRun {
  readonly dropped = { segments: 0 };
  private serial = 0;

  constructor(
    readonly installation: EmbeddedPlatform,
    private readonly random: Random,
  ) {}

  private get admin(): Api {
    return this.installation.admin();
  }

  private get auditor(): Api {
    return new Api(this.installation.base, history.auditor);
  }

  private async call(): Promise<string> {
    const { status, body } = await this.admin.call({
      tool: 'write_file',
      inputs: { path: `honest-${this.serial++}.txt`, content: 'x', mode: 'create' },
    });
    expect(status).toBe(200);
    return body.call_id;
  }

  /** Killed while calls run and checkpoints are signed. */
  async crash(): Promise<void> {
    const calls = Array.from({ length: 6 }, () => this.call().catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, this.random.below(1_200)));
    await this.installation.process.stop('SIGKILL');
    await Promise.all(calls);
    await this.installation.up({ ...history.env });
  }

  /** A view is folded again, or all rows and tiles are lost and made from the log. */
  async rebuild(): Promise<void> {
    const name = this.random.pick(['call', 'case', undefined]);
    if (name !== undefined) {
      const env = { COUNTERSIGN_KEY: this.admin.key };
      expect(await projections.run(['rebuild', name, '--url', this.installation.base], env)).toMatchObject({ code: 0 });
      return;
    }
    await this.installation.process.stop();
    rmSync(path.join(this.installation.dataDir, 'pg'), { recursive: true });
    rmSync(path.join(this.installation.dataDir, 'audit', 'trees'), { recursive: true });
    await this.installation.up({ ...history.env });
  }

  /** Old records are dropped, as soon as the witness has cosigned what says so. */
  async drop(): Promise<void> {
    await this.admin.request('PUT', '/v1/retention', { floor_months: 6, rules: [] });
    await until('old records are dropped', async () => {
      await this.witnessed();
      const { body } = await this.admin.request<{ dropped: { segments: number } | null; waits_for: string | null }>(
        'POST',
        '/v1/log/drops',
        { keep_months: 6 },
      );
      this.dropped.segments += body.dropped?.segments ?? 0;
      return this.dropped.segments > 0 ? true : undefined;
    });
  }

  async erase(): Promise<void> {
    await this.call();
    const subject = `honest-${this.serial - 1}.txt`;
    expect((await this.admin.request('POST', `/v1/subjects/${subject}/erase`, { reason: 'asked' })).status).toBeLessThan(300);
  }

  witnessed(): Promise<void> {
    return history.witnessed(this.installation, path.join(this.installation.dir, 'witness'));
  }

  /** Server, scrub, witness and client find nothing. */
  async isBelieved(): Promise<void> {
    const call_id = await this.call();
    const bundle = await until('a checkpoint', () => bundleOf(this.auditor, call_id));
    const { base, dir, process } = this.installation;
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'ready' });
    expect(await scrub.run(['--views', '--url', base], { COUNTERSIGN_KEY: this.admin.key })).toMatchObject({ code: 0 });
    expect(process.output).not.toContain('"event":"damage_found"');
    await this.witnessed();
    const now = path.join(dir, 'now.json');
    writeFileSync(now, JSON.stringify(bundle));
    for (const kept of ['later.json', 'earlier.json']) {
      const args = [now, '--vkey', history.vkey, '--since', history.file(kept), '--log', base];
      expect(await verify.run(args, { COUNTERSIGN_TOKEN: history.auditor })).toMatchObject({ code: 0 });
    }
  }
}

const STEPS = ['crash', 'rebuild', 'drop', 'erase'] as const;

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

test('an honest installation is never accused: killed, rebuilt, with dropped records and erased subjects', async () => {
  for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
    const random = new Random(seed * 7919);
    const run = new HonestRun(await history.copy(), random);
    cpSync(history.file('witness'), path.join(run.installation.dir, 'witness'), { recursive: true });
    const steps = shuffled(STEPS, random);
    try {
      await run.installation.up({ ...history.env });
      for (const step of steps) {
        await run[step]();
        await run.isBelieved();
      }
      expect(run.dropped.segments).toBeGreaterThan(0);
    } catch (cause) {
      throw new Error(`seed ${seed}, ${steps}: ${String(cause)}\n${run.installation.process.output.slice(-3_000)}`, { cause });
    } finally {
      await run.installation.close();
    }
  }
}, 1_200_000);
