import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './upstream-answers.js';

/** A turn of the event loop: what its thread computed, and what of it is not the collection of garbage. */
export interface MeasuredTurn {
  cpu_ms: number;
  own_ms: number;
  /** The functions that were seen most often in it. */
  most: string[];
}

/** Measures the turns of a process of the platform that was started with `env`. */
export class TurnMeasure {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'countersign-turns-'));
  private readonly file = path.join(this.folder, 'turns.json');

  get env(): Record<string, string> {
    return { NODE_OPTIONS: `--import ${new URL('./turn-probe.js', import.meta.url)}`, COUNTERSIGN_TEST_TURNS: this.file };
  }

  /** The longest turns during some work, the longest first. */
  async during(pid: number, work: () => Promise<unknown>): Promise<MeasuredTurn[]> {
    process.kill(pid, 'SIGUSR2');
    try {
      await work();
    } finally {
      process.kill(pid, 'SIGUSR2');
    }
    await until(
      async () => existsSync(this.file),
      (is_written) => is_written,
    );
    const turns = JSON.parse(readFileSync(this.file, 'utf8')) as MeasuredTurn[];
    rmSync(this.file);
    return turns.sort((a, b) => b.own_ms - a.own_ms);
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
