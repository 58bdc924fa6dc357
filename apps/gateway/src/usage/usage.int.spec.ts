import { RecordedCalls, Views } from '@countersign/calls';
import { initialConfiguration, noUsage, usageMeasures } from '@countersign/domain';
import { addToUsage, PgliteStore, stableTables } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { OperatorCommands } from './operator-commands.js';
import { PeriodCloser } from './period-closer.js';
import { UsageModule } from './usage.module.js';
import { UsageReport } from './usage-report.js';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const state = initialConfiguration();
let store: PgliteStore;
let app: FeatureApp;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
  app = await FeatureApp.open(UsageModule, [
    { provide: ConfigurationService, useValue: { state, clock: { now_ms: () => NOW } } },
    { provide: Views, useValue: { store, current: async () => true } },
    { provide: UsageReport, useValue: new UsageReport(store, () => state) },
    { provide: PeriodCloser, useValue: { closed: async () => undefined } },
    { provide: OperatorCommands, useValue: {} },
    { provide: RecordedCalls, useValue: {} },
  ]);
  const sums = { ...noUsage(), calls: 2, executed: 2, succeeded: 2, cost_micros: 1_500_000 };
  const add = usageMeasures.map((measure) => sums[measure]);
  for (const agent of ['agent', 'bot']) {
    const hour = { key: ['acme', NOW / 3_600_000, 'pay', '1.0.0', agent, 0], add };
    await store.query(stableTables(['usage_hours']).bind(addToUsage('usage_hours', [hour])));
    const line = { key: ['acme', Math.floor(NOW / 86_400_000), agent, '', 'pay', 0, 0], add };
    await store.query(stableTables(['usage_lines']).bind(addToUsage('usage_lines', [line])));
  }
}, 60_000);
afterAll(async () => {
  await app.close();
  await store.close();
});

test('operators see all usage, agents their own; others see none', async () => {
  expect((await app.send('GET', '/v1/usage')).status).toBe(401);
  expect((await app.send('GET', '/v1/usage', { role: 'approver' })).status).toBe(403);
  const all = await app.send('GET', '/v1/usage?group_by=agent', { role: 'operator' });
  expect(all.body.items.map(({ agent, calls, cost_usd }: Record<string, unknown>) => [agent, calls, cost_usd])).toEqual([
    ['agent', 2, 1.5],
    ['bot', 2, 1.5],
  ]);
  const own = await app.send('GET', '/v1/usage?agent=bot', { role: 'agent' });
  expect([own.body.agent, own.body.total.calls]).toEqual(['agent', 2]);
});

test('the times of a report have the names of other responses besides those of its query', async () => {
  const [from, to] = ['2026-11-19T00:00:00.000Z', '2026-11-20T00:00:00.000Z'];
  const { body } = await app.send('GET', `/v1/usage?from=${from}&to=${to}`, { role: 'operator' });
  expect(body).toMatchObject({ starts_at: from, ends_at: to, from, to });
});

test('a page ends with the cursor of the next one; an invalid range or cursor is reported', async () => {
  const first = (await app.send('GET', '/v1/usage?group_by=agent&limit=1', { role: 'auditor' })).body;
  const second = (await app.send('GET', `/v1/usage?group_by=agent&limit=1&cursor=${first.next_cursor}`, { role: 'auditor' })).body;
  expect([first.items[0].agent, second.items[0].agent, second.next_cursor]).toEqual(['agent', 'bot', null]);
  const paths = ['cursor=abc', 'limit=0', 'to=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z', 'group_by=x'].map(async (query) => {
    const { status, body } = await app.send('GET', `/v1/usage?${query}`, { role: 'operator' });
    return [status, body.validation.issues[0].path];
  });
  expect(await Promise.all(paths)).toEqual([
    [400, '/cursor'],
    [400, '/limit'],
    [400, '/to'],
    [400, '/group_by'],
  ]);
});

test('the lines of an open month are provisional, and returned only on request', async () => {
  expect((await app.send('GET', '/v1/usage/billing?period=2026-13', { role: 'operator' })).body.validation.issues[0].path).toBe('/period');
  expect((await app.send('GET', '/v1/usage/billing?period=2026-11', { role: 'operator' })).status).toBe(409);
  const lines = await app.send('GET', '/v1/usage/billing?period=2026-11&provisional=true', { role: 'operator' });
  expect([lines.status, lines.headers['countersign-period'], lines.headers['content-type']]).toEqual([
    200,
    'provisional',
    'application/x-ndjson; charset=utf-8',
  ]);
  expect(lines.text.split('\n').map((line) => line && JSON.parse(line).agent)).toEqual(['agent', 'bot', '']);
  expect((await app.send('GET', '/v1/usage/billing/periods', { role: 'auditor' })).body).toEqual({ items: [] });
});
