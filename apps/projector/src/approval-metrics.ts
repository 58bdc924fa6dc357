import type { Clock } from '@countersign/process';
import { type PendingApprovals, pendingOfAllTenants, type Sql } from '@countersign/store';
import { Gauge, type Registry } from 'prom-client';

/** A result is cached for this time, whatever the number of requests. */
const FRESH_MS = 10_000;
/** A scrape does not wait longer than this for the store. */
const WAIT_MS = 2_000;

/** Pending approval requests, at most ten seconds old. */
export class PendingReader {
  private known: PendingApprovals | undefined;
  private read_at_ms = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly clock: Pick<Clock, 'now_ms' | 'monotonic_ms'>,
  ) {}

  /** Undefined while the store does not respond. */
  async pending(wait_ms = WAIT_MS): Promise<PendingApprovals | undefined> {
    if (this.clock.monotonic_ms() - this.read_at_ms >= FRESH_MS)
      this.reading ??= this.read().finally(() => {
        this.reading = undefined;
      });
    if (this.reading) await withinTime(this.reading, wait_ms);
    return this.known;
  }

  private async read(): Promise<void> {
    this.read_at_ms = this.clock.monotonic_ms();
    this.known = undefined;
    this.known = await pendingOfAllTenants(this.sql, this.clock.now_ms()).catch(() => undefined);
  }
}

async function withinTime(work: Promise<void>, wait_ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, wait_ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

interface Measure {
  name: string;
  help: string;
  of: (found: PendingApprovals) => Record<'pending' | 'overdue', number>;
}

/** Pending approval requests of all tenants together: two series per measure, regardless of the number of tenants. */
export function measureApprovals(sql: Sql, clock: Pick<Clock, 'now_ms' | 'monotonic_ms'>, register: Registry): void {
  const reader = new PendingReader(sql, clock);
  const age = (requested_at_ms: number | null) => (requested_at_ms === null ? 0 : Math.max(0, clock.now_ms() - requested_at_ms) / 1000);
  const measures: readonly Measure[] = [
    {
      name: 'countersign_approvals_pending',
      help: 'Open approval requests by status, at most 10 s old; overdue: expired, but not closed yet',
      of: ({ pending, overdue }) => ({ pending, overdue }),
    },
    {
      name: 'countersign_approvals_oldest_pending_seconds',
      help: 'Age of the oldest open approval request by status; 0 without one',
      of: ({ oldest_pending_at_ms, oldest_overdue_at_ms }) => ({ pending: age(oldest_pending_at_ms), overdue: age(oldest_overdue_at_ms) }),
    },
  ];
  for (const { name, help, of } of measures)
    new Gauge({
      name,
      help,
      labelNames: ['status'],
      registers: [register],
      // All metrics are collected concurrently, so none may depend on another one's collect.
      async collect() {
        const found = await reader.pending();
        this.reset();
        if (found) for (const [status, value] of Object.entries(of(found))) this.set({ status }, value);
      },
    });
}
