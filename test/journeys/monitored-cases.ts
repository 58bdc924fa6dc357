import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { monitor } from '@countersign/cli/commands/monitor';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const DISHONEST = pathToFileURL(path.join(process.cwd(), 'test/dist/forger/dishonest-signer.js')).href;
const PATIENCE_MS = 60_000;

/** A lie of the signer about leaves of cases (test/forger/dishonest-signer.ts). */
export type Lie = 'count' | 'added' | 'hash' | 'previous' | 'cut' | 'leave out' | 'hold';

/** Polls until there is something. */
export async function until<T>(what: string, work: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(200)) {
    const found = await work();
    if (found !== undefined) return found;
  }
  throw new Error(`in vain: ${what}`);
}

/** A platform with cases whose signer can begin to lie while it runs, and an auditor with monitors. */
export class MonitoredCases {
  auditor!: Api;
  private serial = 0;

  private constructor(
    readonly platform: EmbeddedPlatform,
    private readonly content: string,
  ) {}

  /** @param content of each file that is written */
  static async create(env: Record<string, string> = {}, content = 'x'): Promise<MonitoredCases> {
    return new MonitoredCases(await EmbeddedPlatform.create(env), content);
  }

  /** @param env of this start alone */
  async open(env: Record<string, string> = {}): Promise<this> {
    await this.up(env);
    this.auditor = await this.platform.admin().keyFor('user', 'audra', ['auditor']);
    return this;
  }

  close(): Promise<void> {
    return this.platform.close();
  }

  file(name: string): string {
    return path.join(this.platform.dir, name);
  }

  /** `signal` ends the process: SIGKILL leaves it no chance to write anything. */
  async restarted(between: () => Promise<void> | void = () => undefined, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.platform.process.stop(signal);
    await between();
    await this.up({});
  }

  /** From now on the signer lies in this way. */
  lie(lie: Lie): void {
    writeFileSync(this.file('lie'), lie);
  }

  lieNoMore(): void {
    rmSync(this.file('lie'));
  }

  async newCase(): Promise<string> {
    return (await this.platform.admin().request<{ case_id: string }>('POST', '/v1/cases', { title: 'A case' })).body.case_id;
  }

  /** Writes a file in a case. @returns the call */
  async write(case_id: string, name = `${++this.serial}.txt`): Promise<string> {
    const inputs = { path: name, content: this.content, mode: 'create' };
    const { body } = await this.platform.admin().call({ tool: 'write_file', inputs, case_id });
    if (body.status !== 'succeeded') throw new Error(`${name} was not written: ${JSON.stringify(body)}`);
    return body.call_id;
  }

  /** The heads under the newest checkpoint, and its size; none and 0 before the first. */
  async newest(): Promise<{ heads: [topic: string, partition: number, size: number][]; size: number }> {
    const { body } = await this.auditor.request<{ heads?: [string, number, number][]; checkpoint?: string }>('GET', '/v1/audit/heads');
    return { heads: body.heads ?? [], size: Number(body.checkpoint?.split('\n')[1] ?? 0) };
  }

  /** Number of leaves of cases that the newest checkpoint covers, by generations of their tree. */
  async leavesByTree(): Promise<number[]> {
    return (await this.newest()).heads.flatMap(([topic, , size]) => (topic === 'cases' ? [size] : []));
  }

  async leaves(): Promise<number> {
    return (await this.leavesByTree()).reduce((sum, size) => sum + size, 0);
  }

  /** Waits until a checkpoint covers more leaves of cases than these. */
  async moreLeaves(before: number): Promise<void> {
    await until('another leaf of a case', async () => ((await this.leaves()) > before ? true : undefined));
  }

  /** The key of the log, once there is a checkpoint. */
  vkey(): Promise<string> {
    return until('a checkpoint', async () => {
      const { headers } = await this.auditor.request('GET', '/v1/audit/checkpoint');
      return headers.get('countersign-vkey') ?? undefined;
    });
  }

  /** Arguments of a look of the monitor that has its state in this folder. */
  async lookArgs(dir: string): Promise<string[]> {
    return ['--vkey', await this.vkey(), '--log', this.platform.base, '--dir', this.file(dir), '--once'];
  }

  async look(dir: string): Promise<{ code: number; output: string }> {
    const { code, lines } = await monitor.run(await this.lookArgs(dir), { COUNTERSIGN_TOKEN: this.auditor.key });
    return { code, output: lines.join('\n') };
  }

  private up({ NODE_OPTIONS = '', ...env }: Record<string, string>): Promise<void> {
    const options = `${NODE_OPTIONS} --import=${DISHONEST}`.trim();
    return this.platform.up({ ...env, NODE_OPTIONS: options, COUNTERSIGN_TEST_FORGE_FILE: this.file('lie') });
  }
}
