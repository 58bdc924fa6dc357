import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { Receiver } from './receiver.js';

interface Line {
  line_id: string;
  agent: string;
  tool: string;
  case_id: string | null;
  billable_calls: number;
  cost_usd: number;
}
type Row = Record<string, unknown>;
interface Report {
  total: Row;
  items: Row[];
  next_cursor: string | null;
}

let serial = 0;
const month = (back = 0): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
};

/** Usage, cost and billing: through the public API, with separate agents. */
export function describeUsageJourneys(at: JourneyWorld): void {
  describe('usage', () => {
    const fresh = async (): Promise<[Api, string]> => {
      const name = `used-${process.pid}-${++serial}`;
      return [await at.admin.keyFor('agent', name, ['agent']), name];
    };
    const report = async (by: Api, query: string): Promise<Report> => {
      const { status, body } = await by.request<Report>('GET', `/v1/usage?${query}`);
      expect({ status, body }).toMatchObject({ status: 200 });
      return body;
    };
    const keyed = (by: Api, inputs: Row, case_id?: string) =>
      by.call({ tool: 'probe_http_keyed', inputs, ...(case_id ? { case_id } : {}) }, { prefer: 'wait=20' });

    test("an agent's usage is counted once, by tool, adapter, capability, case and day, and the agent sees only its own", async () => {
      const [agent, name] = await fresh();
      const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
      const inputs = order();
      expect((await keyed(agent, inputs, case_id)).body.status).toBe('succeeded');
      expect((await keyed(agent, inputs, case_id)).body).toMatchObject({ deduplicated: true });
      expect((await keyed(agent, order())).body.status).toBe('succeeded');
      await agent.call({ tool: 'probe_fail', inputs: { effect: 'none', ...order() } });
      await agent.call({ tool: 'probe_read', inputs: {} });
      const { total, items } = await report(at.admin, `agent=${name}`);
      const counts = {
        calls: 5,
        executed: 4,
        succeeded: 3,
        failed: 1,
        deduplicated: 1,
        cost_usd: 0.5,
        success_rate: 0.75,
        dedup_rate: 0.2,
      };
      expect(total).toMatchObject(counts);
      expect(items.map(({ tool, calls, cost_usd }) => ({ tool, calls, cost_usd }))).toEqual([
        { tool: 'probe_fail', calls: 1, cost_usd: 0 },
        { tool: 'probe_http_keyed', calls: 3, cost_usd: 0.5 },
        { tool: 'probe_read', calls: 1, cost_usd: 0 },
      ]);
      const by = async (group: string) => (await report(at.admin, `agent=${name}&group_by=${group}`)).items;
      expect(await by('adapter,capability')).toMatchObject([{ adapter: 'probe', capability: 'probe', ...counts }]);
      expect(await by('agent')).toMatchObject([{ agent: name, ...counts }]);
      expect(await by('case')).toMatchObject([{ case_id, calls: 2, succeeded: 1, deduplicated: 1, cost_usd: 0.25 }]);
      expect(await by('day')).toMatchObject([{ day: new Date().toISOString().slice(0, 10), ...counts }]);
      expect((await report(agent, 'agent=somebody-else')).total).toMatchObject(counts);
      expect((await report((await fresh())[0], '')).total).toMatchObject({ calls: 0, success_rate: null });
    });

    test('a tool has its latencies, and every duplicate got the result of the first call', async () => {
      const [agent] = await fresh();
      const inputs = order({ delay_ms: 60 });
      await Promise.all(Array.from({ length: 5 }, () => keyed(agent, inputs)));
      const { items } = await report(at.admin, 'tool=probe_http_keyed');
      const [row] = items as { p50_ms: number; p99_ms: number; mean_ms: number; replay: { duplicates: number; equal_answers: number } }[];
      expect(row?.replay).toMatchObject({ correctness: 1 });
      expect(row?.replay.duplicates).toBeGreaterThanOrEqual(4);
      expect(row?.replay.equal_answers).toBe(row?.replay.duplicates);
      expect(row?.p99_ms).toBeGreaterThanOrEqual(59);
      expect(row?.p50_ms).toBeLessThanOrEqual(row?.p99_ms as number);
      expect(row?.mean_ms).toBeGreaterThan(0);
      const page = await report(at.admin, 'limit=1');
      expect(page.items).toHaveLength(1);
      const next = await report(at.admin, `limit=1&cursor=${page.next_cursor}`);
      expect(String(next.items[0]?.tool) > String(page.items[0]?.tool)).toBe(true);
    });

    test('a denial for a scope is a permission violation', async () => {
      const name = `used-${process.pid}-${++serial}`;
      const principal = { kind: 'agent', id: name, roles: ['agent'] };
      const made = await at.admin.request<{ key: string }>('POST', '/v1/keys', {
        tenant_id: 'default',
        principal,
        scopes: ['tool.other.invoke'],
      });
      const refused = await at.admin.as(made.body.key).call({ tool: 'probe_marked', inputs: { text: 'x' } });
      expect(refused.body).toMatchObject({ status: 'denied' });
      expect((await report(at.admin, `agent=${name}`)).total).toMatchObject({ calls: 1, violations: 1, permission_violation_rate: 1 });
    });

    test('a request without the role or for another tenant is a violation, whichever component refused it', async () => {
      const [agent, name] = await fresh();
      const tenant_id = `refused-${name}`;
      expect((await at.admin.request('POST', '/v1/tenants', { tenant_id })).status).toBe(201);
      const stranger = await at.admin.keyFor('agent', 'stranger', ['agent'], tenant_id);
      const auditor = await at.admin.keyFor('user', 'audrey', ['auditor'], tenant_id);
      const { call_id } = (await agent.call({ tool: 'probe_read', inputs: {} })).body;
      for (let i = 0; i < 3; i++) expect((await agent.request('GET', '/v1/keys')).status).toBe(403);
      expect((await agent.request('POST', '/v1/tools/probe_approval/ratings', { rating: 5 })).status).toBe(403);
      const elsewhere = await stranger.request('GET', `/v1/calls/${call_id}`);
      const nowhere = await stranger.request('GET', '/v1/calls/0-0192f0c4-0000-7000-8000-000000000001');
      expect([elsewhere.status, nowhere.status]).toEqual([404, 404]);
      const violations = async (by: Api, query: string, count: number) => {
        for (let n = 0; n < 100; n++) {
          const { total } = await report(by, query);
          if (total.violations === count) return total;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        throw new Error(`there are no ${count} violations`);
      };
      expect(await violations(at.admin, `agent=${name}`, 4)).toMatchObject({
        calls: 1,
        refused_requests: { role_refused: 3, request_refused: 1 },
        permission_violation_rate: 0.8,
      });
      expect(await violations(auditor, '', 1)).toMatchObject({ calls: 0, refused_requests: { cross_tenant: 1 } });
      expect((await report(auditor, 'group_by=agent')).items).toMatchObject([{ agent: 'stranger', violations: 1 }]);
      expect((await report(at.admin, `agent=${name}&tool=probe_read`)).total).toMatchObject({ violations: 0, refused_requests: null });
      const seen = await auditor.request<{ items: Row[] }>('GET', '/v1/security-events?kind=cross_tenant');
      expect(seen.body.items).toMatchObject([{ principal: { id: 'stranger' }, detail: expect.stringContaining('/v1/calls/:call_id') }]);
      const received = await at.admin.request<{ items: { times: number }[] }>('GET', `/v1/security-events?principal_id=${name}`);
      expect(received.body.items.reduce((sum, { times }) => sum + times, 0)).toBe(4);
    });

    test('an operator states which approval mode a call should have had, and withdraws that', async () => {
      const [agent, name] = await fresh();
      const { call_id } = (await agent.call({ tool: 'probe_read', inputs: {} })).body;
      const say = (by: Api, approval_mode: string) =>
        by.request('POST', `/v1/calls/${call_id}/approval-mode`, { approval_mode, reason: 'it sends mail' });
      expect((await say(agent, 'delegated')).status).toBe(403);
      expect((await say(at.admin, 'delegated')).body).toMatchObject({
        mode_effective: 'network',
        mode_observed: null,
        misclassified: true,
      });
      expect((await report(at.admin, `agent=${name}`)).total).toMatchObject({ misclassified: 1, misclassification_rate: 1 });
      expect((await say(at.admin, 'network')).body).toMatchObject({ misclassified: false });
      expect((await report(at.admin, `agent=${name}`)).total).toMatchObject({ misclassified: 0 });
      expect((await say(at.admin, 'nonsense')).status).toBe(400);
    });

    test('the lines of a month are the same at any time, and repeats are not billed', async () => {
      const [agent, name] = await fresh();
      const inputs = order();
      for (const one of [inputs, inputs, order()]) await keyed(agent, one);
      const ask = async (format: string) =>
        (await at.admin.request<string>('GET', `/v1/usage/billing?period=${month()}&provisional=true&format=${format}`)).body;
      await report(at.admin, '');
      const lines = (text: string) =>
        (
          text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)) as Line[]
        ).filter((line) => line.agent === name);
      const first = lines(await ask('ndjson'));
      expect(first).toMatchObject([
        { tool: 'probe_http_keyed', case_id: null, billable_calls: 2, cost_usd: 0.5, kind: 'usage', corrects: null },
      ]);
      expect(lines(await ask('ndjson'))).toEqual(first);
      expect(await ask('csv')).toContain(`${first[0]?.line_id},default,${month()},usage,,${name},,probe_http_keyed,2,0,0,0,`);
      expect((await at.admin.request('GET', `/v1/usage/billing?period=${month()}`)).status).toBe(409);
      expect((await agent.request('GET', `/v1/usage/billing?period=${month()}&provisional=true`)).status).toBe(403);
    });

    test('a past month is closed on the record, published once and signed, and never changes', async () => {
      const receiver = await Receiver.start();
      try {
        const hook = { url: receiver.url, types: ['usage.*'] };
        const made = await at.admin.request<{ secret: string; webhook_id: string }>('POST', '/v1/webhooks', hook);
        const period = month(2);
        const pull = () => at.admin.request<string>('GET', `/v1/usage/billing?period=${period}`);
        const answer = await pull();
        expect([answer.status, answer.body, answer.headers.get('countersign-period')]).toEqual([200, '', 'closed']);
        const [taken] = await receiver.received(1);
        const received = new Webhook(made.body.secret).verify(taken?.body ?? '', taken?.headers ?? {}) as { type: string; data: Row };
        const digest = answer.headers.get('countersign-lines-digest');
        expect(received).toMatchObject({ type: 'usage.period_closed', data: { period, lines: 0, billable_calls: 0, cost_usd: 0, digest } });
        expect((await pull()).headers.get('countersign-lines-digest')).toBe(digest);
        const known = await at.admin.request<{ items: Row[] }>('GET', '/v1/usage/billing/periods');
        expect(known.body.items).toContainEqual(expect.objectContaining({ period, digest, lines: 0 }));
        expect(await receiver.received(1)).toHaveLength(1);
        await at.admin.request('DELETE', `/v1/webhooks/${made.body.webhook_id}`);
      } finally {
        await receiver.stop();
      }
    });

    test('metrics show the usage of the last day in one series for each measure', async () => {
      const metrics = await (await fetch(`${at.agent.base}/metrics`)).text();
      expect(metrics).toMatch(/countersign_usage_last_day\{measure="executed"\} [1-9]/);
      expect(metrics).toMatch(/countersign_usage_last_day_cost_usd [0-9.]+/);
    });

    test('an invalid group, range, month or cursor gets a problem that names it', async () => {
      for (const [query, path] of [
        ['usage?group_by=planet', '/group_by'],
        ['usage?from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z', '/to'],
        ['usage?from=2020-01-01T00:00:00Z', '/from'],
        ['usage?cursor=abc', '/cursor'],
        ['usage/billing?period=2026-13', '/period'],
      ]) {
        const { status, body } = await at.admin.request<{ validation: { issues: { path: string }[] } }>('GET', `/v1/${query}`);
        expect({ query, status, path: body.validation?.issues?.[0]?.path }).toEqual({ query, status: 400, path });
      }
    });
  });
}
