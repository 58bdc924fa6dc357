import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../journeys/child-process.js';

const run = promisify(execFile);

/** A Kafka broker of its own, whose files a test may change while it is down: nothing else runs on it. */
export class OwnBroker {
  private constructor(
    private readonly dir: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<OwnBroker> {
    const broker = new OwnBroker(mkdtempSync(path.join(tmpdir(), 'countersign-broker-')), await freePort());
    try {
      await broker.command('up');
    } catch (cause) {
      await broker.close();
      throw cause;
    }
    return broker;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The folders of partitions. */
  get dataDir(): string {
    return path.join(this.dir, 'kafka', 'node-1', 'data');
  }

  /** Ends it as a crash does; what it has taken stays in its files. */
  kill(): Promise<void> {
    return this.command('kill', '1');
  }

  startAgain(): Promise<void> {
    return this.command('start', '1');
  }

  /** Keeps the files of a broker that is down. */
  keep(): void {
    cpSync(this.dataDir, this.kept, { recursive: true, preserveTimestamps: true });
  }

  /** Puts the kept files back; the broker is down. */
  restore(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
    cpSync(this.kept, this.dataDir, { recursive: true, preserveTimestamps: true });
  }

  async close(): Promise<void> {
    await this.command('down');
    rmSync(this.dir, { recursive: true, force: true });
  }

  private get kept(): string {
    return path.join(this.dir, 'kept');
  }

  private async command(...args: string[]): Promise<void> {
    const own = { COUNTERSIGN_REAL_PORT: String(this.port), COUNTERSIGN_REAL_DIR: this.dir, COUNTERSIGN_REAL_NODES: '1' };
    await run('bash', ['scripts/real/kafka.sh', ...args], { env: { ...process.env, ...own, COUNTERSIGN_REAL_HEAP: '256m' } });
  }
}
