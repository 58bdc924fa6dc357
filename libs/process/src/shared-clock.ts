import { databaseTime, type Sql } from '@countersign/store';
import { type Clock, systemClock } from './clock.js';

const MEASURES = 3;
const EVERY_MS = 10_000;

/**
 * The database's clock, advanced by this process's monotonic clock: all services agree on the time to milliseconds, whatever the wall
 * clocks of their machines show, so that expiry does not depend on the service that checks it.
 */
export class SharedClock implements Clock {
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly sql: Sql,
    private readonly local: Pick<Clock, 'monotonic_ms'>,
    private ahead_ms: number,
  ) {}

  /** @throws InfrastructureFault if the database does not respond. */
  static async start(sql: Sql, local: Pick<Clock, 'monotonic_ms'> = systemClock): Promise<SharedClock> {
    const clock = new SharedClock(sql, local, await measured(sql, local));
    clock.schedule();
    return clock;
  }

  now_ms(): number {
    return Math.floor(this.local.monotonic_ms() + this.ahead_ms);
  }

  monotonic_ms(): number {
    return this.local.monotonic_ms();
  }

  /** Reads the database's clock again; if it does not respond, the time continues as before. */
  async adjust(): Promise<void> {
    this.ahead_ms = await measured(this.sql, this.local).catch(() => this.ahead_ms);
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.adjust().then(() => this.schedule()), EVERY_MS);
    this.timer.unref();
  }
}

/** How far the database's clock is ahead of the monotonic one, by the fastest response. */
async function measured(sql: Sql, local: Pick<Clock, 'monotonic_ms'>): Promise<number> {
  let best = { took_ms: Number.POSITIVE_INFINITY, ahead_ms: 0 };
  for (let i = 0; i < MEASURES; i++) {
    const sent_ms = local.monotonic_ms();
    const now_ms = await databaseTime(sql);
    const took_ms = local.monotonic_ms() - sent_ms;
    if (took_ms < best.took_ms) best = { took_ms, ahead_ms: now_ms - sent_ms - took_ms / 2 };
  }
  return best.ahead_ms;
}
