import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Effect } from './effects.js';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** What a counterparty has counted; `duplicates` are keys with more than one effect. */
export interface CounterpartyStats {
  effects: number;
  keys: number;
  duplicates: { key: string; count: number }[];
}

/**
 * A counterparty in a process of its own, for specs and chaos: `await Counterparty.start()`, give `url` to the probe pack
 * as COUNTERSIGN_PROBE_URL, and `stop()` at the end. `kill()` then `restart()` keeps port and effects.
 */
export class Counterparty {
  private child: ChildProcess | undefined;
  private port = 0;

  private constructor(private readonly folder: string) {}

  static async start(): Promise<Counterparty> {
    const counterparty = new Counterparty(mkdtempSync(join(tmpdir(), 'countersign-counterparty-')));
    await counterparty.restart();
    return counterparty;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('the counterparty is not running');
    return this.child.pid;
  }

  async restart(): Promise<void> {
    const child = spawn(process.execPath, [MAIN, join(this.folder, 'effects.ndjson'), String(this.port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child = child;
    const lines = createInterface({ input: child.stdout });
    const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['{}'])])) as [string];
    const { port } = JSON.parse(line) as { port?: number };
    if (port === undefined) throw new Error(`the counterparty did not start on port ${this.port}`);
    this.port = port;
  }

  /** SIGKILL, by pid; its effects stay on disk. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Ends the process and removes its effects. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async stats(): Promise<CounterpartyStats> {
    return (await this.get('/stats')) as CounterpartyStats;
  }

  async effectsOf(key: string): Promise<Effect[]> {
    return (await this.get(`/effects?key=${encodeURIComponent(key)}`)) as Effect[];
  }

  private async get(path: string): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, { headers: { connection: 'close' } });
    return response.json();
  }
}
