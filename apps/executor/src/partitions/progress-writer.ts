import { crashPoint } from '@countersign/contracts';
import type { Arbiter } from '../arbiter/arbiter.js';
import type { HistoryCommits } from './history-commits.js';
import type { Partitions } from './partitions.js';

const ENDS_MAX = 1000;

/** Folds ends into rows and stores the progress of each partition: lazily, batched, one write at a time. */
export class ProgressWriter {
  private readonly written = new Map<string, string>();
  private running: Promise<void> | undefined;

  constructor(
    private readonly arbiter: Arbiter,
    private readonly partitions: Partitions,
    private readonly commits: HistoryCommits,
  ) {}

  /** Writes pending items. Waits for a running write first, so that ends known before this call are in their rows after it. */
  async write(): Promise<void> {
    while (this.running) await this.running.catch(() => undefined);
    this.running = this.fold();
    try {
      await this.running;
    } finally {
      this.running = undefined;
    }
  }

  private async fold(): Promise<void> {
    for (let more = true; more; ) {
      const { ends, closed, progress, left } = this.partitions.takeFold(ENDS_MAX);
      more = left > 0;
      const changed = progress.filter(
        (row) => this.written.get(`${row.topic}/${row.partition}`) !== `${row.history_below}/${row.ends_from}`,
      );
      if (ends.length === 0 && closed.length === 0 && changed.length === 0) return;
      crashPoint('executor.before_commit');
      try {
        await this.arbiter.fold(ends, closed, changed);
      } catch (error) {
        this.partitions.putBack(ends, closed);
        throw error;
      }
      for (const row of changed) {
        this.written.set(`${row.topic}/${row.partition}`, `${row.history_below}/${row.ends_from}`);
        this.commits.commit(row.topic, row.partition, row.history_below);
      }
    }
  }
}
