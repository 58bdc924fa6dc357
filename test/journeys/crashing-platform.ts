import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Api } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

const PRELOADED = pathToFileURL(path.join(process.cwd(), 'test/dist/journeys/crash-on-signal.js')).href;

/** An embedded platform that dies at crash points again and again, on one data directory. */
export class CrashingPlatform {
  private constructor(private readonly platform: EmbeddedPlatform) {}

  static async start(): Promise<CrashingPlatform> {
    const platform = await EmbeddedPlatform.create();
    await platform.up(preloaded(platform));
    return new CrashingPlatform(platform);
  }

  get admin(): Api {
    return this.platform.admin();
  }

  /** From here on this pass of the point kills the platform. */
  async arm(point: string): Promise<void> {
    const { process } = this.platform;
    const before = process.logged(`armed: ${point}`);
    writeFileSync(crashFile(this.platform), point);
    process.signal('SIGUSR2');
    await process.until('armed', async () => process.logged(`armed: ${point}`) > before);
  }

  /** Waits until the platform has died, and starts it again. */
  async againAfterCrash(): Promise<void> {
    await this.platform.process.exit();
    await this.platform.up(preloaded(this.platform));
  }

  /** Ends it for good. */
  close(): Promise<void> {
    return this.platform.close();
  }

  write(name: string, text: string): void {
    writeFileSync(path.join(this.platform.workspace, name), text);
  }

  has(name: string): boolean {
    return existsSync(path.join(this.platform.workspace, name));
  }

  read(name: string): string {
    return readFileSync(path.join(this.platform.workspace, name), 'utf8');
  }
}

const crashFile = (platform: EmbeddedPlatform) => path.join(platform.dir, 'crash-at');

const preloaded = (platform: EmbeddedPlatform) => ({
  NODE_OPTIONS: `--import ${PRELOADED}`,
  COUNTERSIGN_TEST_CRASH_FILE: crashFile(platform),
});
