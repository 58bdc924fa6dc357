import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Api } from '../journeys/api.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import type { ChaosTarget, ServiceName } from './target.js';

const OFFSETS = 'log/offsets.json';

/** One process with all services: every service name refers to it. */
export class EmbeddedTarget implements ChaosTarget {
  readonly mode = 'embedded' as const;
  readonly services: readonly ServiceName[] = ['executor'];

  private constructor(private readonly platform: EmbeddedPlatform) {}

  static async start(env: Record<string, string>): Promise<EmbeddedTarget> {
    return new EmbeddedTarget(await EmbeddedPlatform.start(env));
  }

  api(): Api {
    return this.platform.admin();
  }

  async kill(): Promise<void> {
    if (this.platform.process.alive) await this.platform.process.stop('SIGKILL');
  }

  async up(_service: ServiceName, env: Record<string, string> = {}): Promise<void> {
    if (!this.platform.process.alive) await this.platform.up(env);
  }

  async ended(_service: ServiceName, timeout_ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeout_ms);
    });
    const ended = await Promise.race([this.platform.process.exit().then(() => true), late]);
    clearTimeout(timer);
    return ended;
  }

  async committed(): Promise<void> {
    await this.platform.process.until('saved offsets', async () => existsSync(path.join(this.platform.dataDir, OFFSETS)));
  }

  signal(_service: ServiceName, name: 'SIGSTOP' | 'SIGCONT'): void {
    this.platform.process.signal(name);
  }

  async resetOffsets(): Promise<void> {
    rmSync(path.join(this.platform.dataDir, OFFSETS));
  }

  async standby(): Promise<void> {}

  logged(text: string): number {
    return this.platform.process.logged(text);
  }

  async keep(): Promise<string> {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-kept-'));
    writeFileSync(path.join(folder, 'output.log'), this.platform.process.output);
    cpSync(path.join(this.platform.dataDir, 'log'), path.join(folder, 'log'), {
      recursive: true,
      filter: (source) => !statSync(source).isSocket(),
    });
    return folder;
  }

  close(): Promise<void> {
    return this.platform.close();
  }
}
