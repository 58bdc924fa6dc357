import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

/** Features around a run: large outputs, attachments, progress, the cache, deadlines, the http tools. */
export function describeRunJourneys(at: JourneyWorld): void {
  const report = (name: string, more: Record<string, unknown> = {}) => at.agent.call({ tool: 'probe_report', inputs: { name, ...more } });

  describe('around a run', () => {
    test('an output beyond its limit is shortened; its tenant alone can read all of it at the address in the envelope', async () => {
      const { body } = await report('large', { rows: 20_000 });
      expect(body).toMatchObject({ status: 'succeeded', truncated: true, error: null });
      const rows = (body.output as { rows: unknown[] }).rows;
      expect(rows.length).toBeGreaterThan(100);
      expect(body.warnings.join()).toMatch(/\/rows: the first \d+ of 20000 items/);
      const blob = body.attachments.find((attachment) => attachment.kind === 'blob');
      const whole = await at.agent.request<{ rows: unknown[] }>('GET', blob?.url as string);
      expect(whole.status).toBe(200);
      expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
      expect(whole.headers.get('cache-control')).toBe('private, no-cache');
      expect(whole.body.rows).toHaveLength(20_000);
      const etag = whole.headers.get('etag') as string;
      expect((await at.agent.request('GET', blob?.url as string, undefined, { 'if-none-match': etag })).status).toBe(304);
      expect((await at.agent.request('GET', blob?.url as string, undefined, { 'if-none-match': '"other"' })).status).toBe(200);
      const table = body.attachments.find((attachment) => attachment.kind === 'table');
      expect((await at.agent.request('GET', table?.url as string)).body).toBe('name,rows\nlarge,20000\n');
      const bare = await fetch(`${at.agent.base}${blob?.url}`);
      expect(bare.status).toBe(401);
      await at.admin.request('POST', '/v1/tenants', { tenant_id: 'blob-reader' });
      const stranger = await at.admin.keyFor('agent', 'stranger', ['agent'], 'blob-reader');
      const foreign = await stranger.request('GET', blob?.url as string);
      const unknown = await stranger.request('GET', `/v1/blobs/${'0'.repeat(64)}.json`);
      expect(foreign.status).toBe(404);
      const withoutRequest = (problem: object) => ({ ...problem, instance: '', request_id: '' });
      expect(withoutRequest(foreign.body)).toEqual(withoutRequest(unknown.body));
    });

    test('an equal call gets the cached result and reports that; it costs nothing and has the provenance of the first result', async () => {
      const first = (await report('cached')).body;
      const again = (await report('cached')).body;
      const other = (await report('other')).body;
      expect(first).toMatchObject({ cached: false, cost: 0.25, provenance: { source: 'probe_report@1.0.0', confidence: 0.95 } });
      expect(again).toMatchObject({ cached: true, cost: 0, output: first.output, provenance: first.provenance });
      expect(again.call_id).not.toBe(first.call_id);
      expect(other.cached).toBe(false);
    });

    test('progress is visible on the stream of the call while it runs', async () => {
      const inputs = { name: `slow-${order().account}`, steps: 12, step_ms: 250 };
      const submitted = await at.agent.call({ tool: 'probe_report', inputs }, { prefer: 'wait=0' });
      expect(submitted.status).toBe(202);
      const stream = await fetch(`${at.agent.base}/v1/calls/${submitted.body.call_id}/events`, {
        headers: { authorization: `Bearer ${at.agent.key}` },
      });
      const text = await stream.text();
      expect(text).toMatch(/event: progress\ndata: \{"fraction":0\.\d+,"message":"step \d+ of 12"\}/);
      expect(text.indexOf('"status":"succeeded"')).toBeGreaterThan(text.lastIndexOf('event: progress'));
    });

    test('a deadline, or the remaining time of its run, ends a call; nothing happens after it', async () => {
      const late = (call: Record<string, unknown>) =>
        at.agent.call(
          { tool: 'probe_report', inputs: { name: `d-${order().account}`, steps: 50, step_ms: 1000 }, ...call },
          { prefer: 'wait=20' },
        );
      for (const call of [{ deadline: new Date(Date.now() + 1500).toISOString() }, { context: { run_budget: { time_ms: 1500 } } }]) {
        // Its 50 steps, and the time of its tool, take longer than the caller waits.
        const { body } = await late(call);
        expect(body).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
      }
      const expired = await late({ context: { run_budget: { time_ms: 0 } } });
      expect(expired.status).toBe(422);
    });

    test('absent inputs are {}', async () => {
      const { status, body } = await at.agent.request<Envelope>('POST', '/v1/calls', { tool: 'probe_read' });
      expect({ status, of: body.status }).toEqual({ status: 200, of: 'succeeded' });
    });
  });

  describe('the http tools', () => {
    test('http_request reads the hosts that the operator lists and nothing else in this network', async () => {
      const read = await at.agent.call({ tool: 'http_request', inputs: { url: `${at.counterparty.url}/stats` } });
      expect(read.body).toMatchObject({ status: 'succeeded', output: { status: 200, json: { effects: expect.any(Number) } } });
      for (const url of ['http://127.0.0.1:1/', 'http://localhost:9/', `${at.agent.base}/v1/calls`, 'http://169.254.169.254/']) {
        const refused = await at.agent.call({ tool: 'http_request', inputs: { url } });
        expect(refused.body).toMatchObject({ status: 'failed', error: { code: 'POLICY_DENIED' }, retry_count: 0 });
      }
    });

    test('http_send waits for an approval and then sends once, with the key of the call', async () => {
      const { account, amount, note } = order();
      const inputs = { method: 'POST', url: `${at.counterparty.url}/effect`, body: { account, amount, note, key: `sent-${account}` } };
      const submitted = await at.agent.call({ tool: 'http_send', inputs }, { prefer: 'wait=0' });
      expect(submitted.body.status).toBe('pending_approval');
      await at.anna.request('POST', `/v1/approvals/${submitted.body.approval?.approval_id}/votes`, { vote: 'approve' });
      const done = await at.agent.callUntil(submitted.body.call_id, ({ status }) => status === 'succeeded');
      expect(done.output).toMatchObject({ ok: true, json: { key: `sent-${account}` } });
      // It declares no resources: it is unknown whether the effect still exists, so a new request is a new effect.
      const anew = await at.agent.call({ tool: 'http_send', inputs }, { prefer: 'wait=0' });
      // If its end is not in its row yet, the call is first accepted and joins it.
      const waits = await at.agent.callUntil(anew.body.call_id, ({ status }) => status === 'pending_approval');
      expect(waits.deduplicated).toBe(false);
      expect((await at.agent.request('POST', `/v1/calls/${anew.body.call_id}/cancel`, { reason: 'not wanted' })).status).toBeLessThan(300);
      expect(await at.counterparty.effectsOf(`sent-${account}`)).toHaveLength(1);
    });
  });
}
