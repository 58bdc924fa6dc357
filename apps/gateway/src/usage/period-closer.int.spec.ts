import {
  type ConfigurationState,
  evolveConfiguration,
  initialConfiguration,
  noUsage,
  type PlacedEvent,
  usageMeasures,
} from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import { addToUsage, PgliteStore, stableTables } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigurationService } from '../configuration/configuration.service.js';
import type { Notification } from '../notifications/notification.js';
import { billingPages } from './billing.js';
import type { BillingLine } from './billing-line.js';
import { type BillingPeriod, billingPeriod } from './billing-period.js';
import { PeriodAnnouncer } from './period-announcer.js';
import { PeriodCloser } from './period-closer.js';
import { UsageTables } from './usage-tables.js';

const DAY_MS = 86_400_000;
const tables = stableTables(['usage_lines']);
const day = (text: string) => Date.parse(text) / DAY_MS;
const month = (text: string) => billingPeriod(text) as BillingPeriod;
let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
}, 60_000);
afterAll(() => store.close());

/** Writes usage as the projection does: in partition 0, by one agent. */
async function used(on: string, tool: string, counts: object, corrects = 0): Promise<void> {
  const sums = { ...noUsage(), ...counts };
  const row = { key: ['acme', day(on), 'bot', '', tool, corrects, 0], add: usageMeasures.map((measure) => sums[measure]) };
  await store.query(tables.bind(addToUsage('usage_lines', [row])));
}

async function linesOf(period: string): Promise<BillingLine[]> {
  const all: BillingLine[] = [];
  for await (const page of billingPages(store, 'acme', month(period))) all.push(...page);
  return all;
}

/** A closer with a manual clock, whose log is empty or has one record that is not folded. */
class Closing {
  readonly state: ConfigurationState = initialConfiguration();
  readonly sent: Notification[] = [];
  now_ms = 0;
  head = 0;

  private readonly configuration = {
    state: this.state,
    clock: { now_ms: () => this.now_ms },
    writer: { set: async (tenant_id: string, event_type: string, fields: object) => this.record(tenant_id, event_type, fields) },
  } as unknown as ConfigurationService;
  private readonly log = { partitions: () => 1, head: async () => this.head } as unknown as EventLog;
  private readonly sender = { send: async (notification: Notification) => void this.sent.push(notification) };
  readonly closer = new PeriodCloser(
    this.configuration,
    new UsageTables(store, this.log, ['shared']),
    new PeriodAnnouncer(this.sender, this.configuration.writer, { warn: () => undefined }),
    { warn: () => undefined },
  );

  private record(tenant_id: string, event_type: string, fields: object) {
    const offset = this.state.config_offset + 1;
    const event = { meta: { tenant_id }, ...fields };
    evolveConfiguration(this.state, { topic: 'configuration-changed', partition: 0, offset, event_type, event } as unknown as PlacedEvent);
    return { topic: 'configuration-changed', partition: 0, offset };
  }

  /** Closes what is due; resolves when its notifications are marked as sent. */
  async check(): Promise<void> {
    await this.closer.checkNow();
    await new Promise((resolve) => setImmediate(resolve));
  }

  at(text: string): this {
    this.now_ms = Date.parse(text);
    return this;
  }
}

test('a month is closed once it is over and completely folded, announced once, and corrected by later records', async () => {
  const at = new Closing();
  await used('2026-10-03', 'pay', { calls: 3, executed: 3, succeeded: 2, in_doubt: 1, cost_micros: 500_000 });
  await used('2026-10-31', 'look', { calls: 1, executed: 1, succeeded: 1 });
  const closing = (period: string) => at.closer.closed('acme', month(period));

  expect((await at.at('2026-10-31T23:59:00Z')) && (await closing('2026-10'))).toBeUndefined();
  expect((await at.at('2026-11-01T00:05:00Z')) && (await closing('2026-10'))).toBeUndefined();
  at.at('2026-11-01T00:11:00Z').head = 1;
  expect(await closing('2026-10')).toBeUndefined();
  at.head = 0;
  await at.check();
  const october = await closing('2026-10');
  expect(october).toMatchObject({ period: '2026-10', lines: 2, corrections: 0, calls: 3, cost_micros: 500_000, told: true });
  const lines = await linesOf('2026-10');
  expect(lines.map(({ tool, billable_calls, in_doubt_calls, cost_usd }) => [tool, billable_calls, in_doubt_calls, cost_usd])).toEqual([
    ['look', 1, 0, 0],
    ['pay', 2, 1, 0.5],
  ]);

  await used('2026-11-02', 'pay', { resolved: 1, succeeded: 1, cost_micros: 250_000 }, 202610);
  await used('2026-11-02', 'pay', { calls: 1, executed: 1, succeeded: 1, cost_micros: 250_000 });
  expect(await linesOf('2026-10')).toEqual(lines);
  at.at('2026-12-01T01:00:00Z');
  await at.check();
  const november = await linesOf('2026-11');
  expect(november).toMatchObject([
    { kind: 'usage', corrects: null, tool: 'pay', billable_calls: 1, cost_usd: 0.25 },
    { kind: 'correction', corrects: '2026-10', tool: 'pay', billable_calls: 1, resolved_calls: 1, cost_usd: 0.25 },
  ]);
  expect(new Set([...lines, ...november].map(({ line_id }) => line_id)).size).toBe(4);
  expect(await closing('2026-11')).toMatchObject({ lines: 2, corrections: 1, calls: 2, cost_micros: 500_000 });
  await at.check();
  expect(at.sent.map(({ id, type, data }) => [id, type, data.billable_calls])).toEqual([
    ['usage.period_closed/acme/2026-10', 'usage.period_closed', 3],
    ['usage.period_closed/acme/2026-11', 'usage.period_closed', 2],
  ]);
  expect(await closing('2026-10')).toEqual(october);
});

test('dashboards read usage under a stable name', async () => {
  const sums = { ...noUsage(), calls: 2, executed: 2, succeeded: 2, cost_micros: 1_500_000 };
  for (const partition of [0, 1]) {
    const key = ['acme', day('2026-10-03') * 24 + 5, 'pay', '1.0.0', 'bot', partition];
    await store.query(
      stableTables(['usage_hours']).bind(addToUsage('usage_hours', [{ key, add: usageMeasures.map((measure) => sums[measure]) }])),
    );
  }
  const rows = await store.query({ text: 'SELECT hour_start::text AS at, tool, agent, calls, cost_usd FROM analytics_usage', params: [] });
  expect(rows).toMatchObject([{ tool: 'pay', agent: 'bot', calls: 4, cost_usd: 3 }]);
  expect(String(rows[0]?.at)).toContain('2026-10-03 05:00:00');
});
