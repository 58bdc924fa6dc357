import { usageCounts } from '../views/usage-writes.js';

const sums = usageCounts.usage_hours
  .filter((name) => name !== 'duration_us' && name !== 'cost_micros')
  .map((name) => `sum(${name})::int8 AS ${name}`)
  .join(', ');

/** Views for dashboards, by the projection that they aggregate; they are created again whenever its tables change. */
export const analyticsViews: Readonly<Record<string, readonly string[]>> = {
  usage: [
    'DROP VIEW IF EXISTS analytics_usage',
    `CREATE VIEW analytics_usage AS
       SELECT tenant_id, to_timestamp(hour::float8 * 3600) AS hour_start, tool, version, agent, ${sums},
         sum(duration_us)::float8 / 1000 AS duration_ms, sum(cost_micros)::float8 / 1000000 AS cost_usd
       FROM usage_hours GROUP BY tenant_id, hour, tool, version, agent`,
  ],
};
