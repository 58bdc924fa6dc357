import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@countersign/process';

const BACKOFF_MS = [50, 100, 250, 500, 1_000, 2_000, 5_000];

interface Reread {
  stopping: AbortController;
  /** Resolves when the partition is open again, or the reread was stopped. */
  ended: Promise<void>;
}

/** Partitions that are read from the log again while they stay assigned to this process: their requests wait. */
export class Rereads {
  private readonly running = new Map<string, Reread>();

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  has(lane: string, number: number): boolean {
    return this.running.has(`${lane}/${number}`);
  }

  /** Reads a partition, again until that succeeds. */
  begin(lane: string, number: number, read: () => Promise<unknown>): void {
    const stopping = new AbortController();
    this.running.set(`${lane}/${number}`, { stopping, ended: this.run({ lane, number }, read, stopping.signal) });
  }

  /** Resolves once none of these partitions is being read again. */
  async stop(lane: string, numbers: readonly number[]): Promise<void> {
    const stopped = numbers.flatMap((number) => this.running.get(`${lane}/${number}`) ?? []);
    for (const number of numbers) this.running.delete(`${lane}/${number}`);
    for (const { stopping } of stopped) stopping.abort();
    await Promise.all(stopped.map(({ ended }) => ended));
  }

  async stopAll(): Promise<void> {
    const stopped = [...this.running.values()];
    this.running.clear();
    for (const { stopping } of stopped) stopping.abort();
    await Promise.all(stopped.map(({ ended }) => ended));
  }

  private async run({ lane, number }: { lane: string; number: number }, read: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await read();
        break;
      } catch (cause) {
        this.logger.error(
          { event: 'saga_partition_not_reread', lane, partition: number, attempt, cause: String(cause) },
          'cannot read a partition of sagas again: its sagas and requests wait; retrying',
        );
        const pause_ms = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)];
        await sleep(pause_ms, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
    const key = `${lane}/${number}`;
    if (this.running.get(key)?.stopping.signal === signal) this.running.delete(key);
  }
}
