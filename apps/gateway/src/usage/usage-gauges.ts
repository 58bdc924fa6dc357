import { HOUR_MS } from '@countersign/domain';
import { type Sql, type SummedRow, usageSince } from '@countersign/store';
import { Gauge, type Registry } from 'prom-client';

const HOURS = 24;
const measures = [
  'calls',
  'executed',
  'succeeded',
  'failed',
  'denied',
  'in_doubt',
  'resolved',
  'deduplicated',
  'violations',
  'misclassified',
  'retried',
  'retried_succeeded',
] as const;

/** Reads the sums once for all gauges of one scrape. */
class UsageOfLastDay {
  private pending: Promise<SummedRow | undefined> | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly now_ms: () => number,
  ) {}

  /** Undefined if the store is unavailable: the other metrics are still served. */
  sums(): Promise<SummedRow | undefined> {
    this.pending ??= usageSince(this.sql, Math.floor(this.now_ms() / HOUR_MS) - HOURS + 1)
      .catch(() => undefined)
      .finally(() => {
        this.pending = undefined;
      });
    return this.pending;
  }
}

/** Usage of the last day over all tenants: one series for each measure, regardless of the number of tenants, tools and agents. */
export function measureUsage(sql: Sql, now_ms: () => number, registry: Registry): void {
  const usage = new UsageOfLastDay(sql, now_ms);
  new Gauge({
    name: 'countersign_usage_last_day',
    help: 'Calls of the current hour and the 23 hours before it, by outcome',
    labelNames: ['measure'],
    registers: [registry],
    async collect() {
      const sums = await usage.sums();
      this.reset();
      if (sums) for (const measure of measures) this.set({ measure }, sums[measure]);
    },
  });
  new Gauge({
    name: 'countersign_usage_last_day_cost_usd',
    help: 'Cost of these calls in USD, from the contracts of their tools',
    registers: [registry],
    async collect() {
      const sums = await usage.sums();
      if (sums) this.set(sums.cost_micros / 1e6);
      else this.remove();
    },
  });
}
