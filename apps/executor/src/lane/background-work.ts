import type { Logger } from '@countersign/process';

/** Background work, one at a time for each kind. An error is logged, and the next tick tries again. */
export class BackgroundWork {
  private readonly running = new Map<string, Promise<void>>();

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  once(name: string, work: () => Promise<void>): void {
    if (this.running.has(name)) return;
    const running = work()
      .catch((cause) => {
        const message = cause instanceof Error ? cause.stack : String(cause);
        this.logger.warn({ event: 'background_work_failed', work: name, cause: message }, 'background work failed; retrying');
      })
      .finally(() => this.running.delete(name));
    this.running.set(name, running);
  }

  async settled(): Promise<void> {
    await Promise.all(this.running.values());
  }
}
