import type { Row, Sql } from '@countersign/store';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureUsage } from './usage-gauges.js';

/** Sums as the store returns them; undefined: the store is unavailable. */
function measured(sums: () => Record<string, number> | undefined): { registry: Registry; queries: number } {
  const counted = { registry: new Registry(), queries: 0 };
  const sql: Sql = {
    query: async <R extends Row>() => {
      counted.queries++;
      const row = sums();
      if (!row) throw new Error('unavailable');
      return [new Proxy(row, { get: (of, name) => of[String(name)] ?? 0 }) as unknown as R];
    },
  };
  measureUsage(sql, () => 0, counted.registry);
  return counted;
}

test('calls and cost are of the same scrape, and one scrape reads the store once', async () => {
  let calls = 0;
  const usage = measured(() => ({ calls: ++calls, cost_micros: calls * 1e6 }));
  for (const scrape of [1, 2]) {
    const text = await usage.registry.metrics();
    expect(text).toContain(`countersign_usage_last_day{measure="calls"} ${scrape}\n`);
    expect(text).toContain(`countersign_usage_last_day_cost_usd ${scrape}\n`);
  }
  expect(usage.queries).toBe(2);
});

test('while the store is unavailable no usage is reported', async () => {
  expect(await measured(() => undefined).registry.metrics()).not.toMatch(/^countersign_usage_last_day[^#]*\d$/m);
});
