import { retried, retryPlans } from '@countersign/event-log';
import type { Logger } from '@countersign/process';

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
    const onFault = (cause: Error, attempt: number) =>
      this.logger.error(
        { event: 'saga_partition_not_reread', lane, partition: number, attempt, cause: String(cause) },
        'cannot read a partition of sagas again: its sagas and requests wait; retrying',
      );
    try {
      await retried(retryPlans.handler, read, { signal, unref: true, onFault });
    } catch (cause) {
      // A defect is not retried: the requests wait until the partition is assigned again.
      if (!signal.aborted) onFault(cause as Error, 1);
      return;
    }
    const key = `${lane}/${number}`;
    if (this.running.get(key)?.stopping.signal === signal) this.running.delete(key);
  }
}
