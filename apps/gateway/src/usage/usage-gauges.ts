import { HOUR_MS } from '@countersign/domain';
import { type Sql, usageSince } from '@countersign/store';
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

/** Usage of the last day over all tenants: one series for each measure, regardless of the number of tenants, tools and agents. */
export function measureUsage(sql: Sql, now_ms: () => number, registry: Registry): void {
  const gauge: Gauge<'measure'> = new Gauge({
    name: 'countersign_usage_last_day',
    help: 'Calls of the current hour and the 23 hours before it, by outcome',
    labelNames: ['measure'],
    registers: [registry],
    collect: async () => {
      // If the store is unavailable, the other metrics are still served.
      const sums = await usageSince(sql, Math.floor(now_ms() / HOUR_MS) - HOURS + 1).catch(() => undefined);
      gauge.reset();
      if (!sums) return;
      for (const measure of measures) gauge.set({ measure }, sums[measure]);
      cost.set(sums.cost_micros / 1e6);
    },
  });
  const cost = new Gauge({
    name: 'countersign_usage_last_day_cost_usd',
    help: 'Cost of these calls in USD, from the contracts of their tools',
    registers: [registry],
  });
}
