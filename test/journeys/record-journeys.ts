import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

/** Policy as data, cases, lists, streams and tenants. */
export function describeRecordJourneys(at: JourneyWorld): void {
  describe('policy is data', () => {
    test('an override in the table changes the tier at once, to blocked and back', async () => {
      const policyAdmin = await at.admin.keyFor('user', 'paula', ['policy_admin']);
      const set = (tier: string) => policyAdmin.request('PUT', '/v1/policies/tools/probe_read', { tier });
      expect((await set('tier_3_blocked')).status).toBeLessThan(300);
      const blocked = await at.agent.call({ tool: 'probe_read', inputs: {} });
      expect(blocked.body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' }, decision: { tier: 'tier_3_blocked' } });
      expect((await set('tier_1_auto')).status).toBeLessThan(300);
      expect((await at.agent.call({ tool: 'probe_read', inputs: {} })).body.status).toBe('succeeded');
    });

    test('a read-only run cannot write', async () => {
      const answer = await at.agent.call({ tool: 'probe_http_effect', inputs: order(), context: { safety_mode: 'read_only' } });
      expect(answer.body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' } });
    });
  });

  describe('cases, lists, streams', () => {
    test('a case shows its history in causal order and waits while one of its calls waits', async () => {
      const opened = await at.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'Refund for Acme' });
      expect(opened.status).toBeLessThan(300);
      const { case_id } = opened.body;
      await at.agent.call({
        tool: 'probe_http_effect',
        inputs: order(),
        case_id,
        context: { rationale: 'two invoices', skill: 'refunds', step: 'refund', rule: 'r1' },
      });
      const envelope = (await at.agent.call({ tool: 'probe_approval', inputs: order(), case_id })).body;
      const status = async () => (await at.agent.request<{ status: string }>('GET', `/v1/cases/${case_id}`)).body.status;
      expect(await status()).toBe('awaiting_approval');
      await at.anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, { vote: 'approve' });
      await at.agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
      expect(await status()).toBe('open');
      const history = await at.agent.request<{ items: { type: string; call_id: string; rationale?: string }[] }>(
        'GET',
        `/v1/cases/${case_id}/history?limit=100`,
      );
      const types = history.body.items.map((row) => row.type);
      expect(types.filter((type) => type === 'tool_call_pending')).toHaveLength(2);
      expect(types.filter((type) => type === 'tool_call_complete')).toHaveLength(2);
      expect(types).toContain('tool_call_pending_approval');
      expect(types.indexOf('tool_call_pending')).toBeLessThan(types.indexOf('tool_call_complete'));
      expect(history.body.items.find((row) => row.type === 'tool_call_pending')).toMatchObject({
        rationale: 'two invoices',
        skill: 'refunds',
        step: 'refund',
        rule: 'r1',
      });
    });

    test('a vote is a line of the history, and a denial is one line', async () => {
      const { case_id } = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
      const typesAfter = async (vote: object, status: string) => {
        const { call_id, approval } = (await at.agent.call({ tool: 'probe_approval', inputs: order(), case_id })).body;
        await at.anna.request('POST', `/v1/approvals/${approval?.approval_id}/votes`, vote);
        await at.agent.callUntil(call_id, (call) => call.status === status);
        type Line = { type: string; vote?: string; by?: string; reason?: string; error?: { code: string } };
        const { body } = await at.agent.request<{ items: Line[] }>('GET', `/v1/cases/${case_id}/history?call_id=${call_id}`);
        return body.items.slice(3);
      };
      const granted = await typesAfter({ vote: 'approve', reason: 'fine' }, 'succeeded');
      expect(granted.map(({ type }) => type)).toEqual(['approval_voted', 'approval_granted', 'tool_call_complete']);
      expect(granted[0]).toMatchObject({ vote: 'approve', reason: 'fine', refused_because: null, by: granted[1]?.by });
      const denied = await typesAfter({ vote: 'deny', reason: 'too dear' }, 'denied');
      expect(denied).toMatchObject([{ type: 'approval_denied', reason: 'too dear', error: { code: 'POLICY_DENIED' } }]);
    });

    test('an edit by an approver does not change the history line of the request', async () => {
      const { case_id } = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
      const inputs = order({ amount: 700 });
      const envelope = (await at.agent.call({ tool: 'probe_approval', inputs, case_id })).body;
      const vote = { vote: 'edit', inputs: { ...inputs, amount: 70 } };
      expect((await at.anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, vote)).status).toBe(200);
      const done = await at.agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
      expect(done).toMatchObject({ input: { amount: 70 } });
      const history = await at.agent.request<{ items: { type: string; inputs?: unknown }[] }>('GET', `/v1/cases/${case_id}/history`);
      expect(history.body.items.find((row) => row.type === 'tool_call_pending')?.inputs).toMatchObject({ amount: 700 });
    });

    test('lists page by cursor without gaps or repeats', async () => {
      const run_id = `run-${process.pid}-${String(order().account)}`;
      for (let i = 0; i < 7; i++) await at.agent.call({ tool: 'probe_read', inputs: {}, context: { run_id } });
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await at.agent.request<{ items: Envelope[]; next_cursor: string | null }>(
          'GET',
          `/v1/calls?run_id=${run_id}&limit=3${cursor}`,
        );
        expect(page.status).toBe(200);
        seen.push(...page.body.items.map((item) => item.call_id));
        cursor = page.body.next_cursor ? `&cursor=${encodeURIComponent(page.body.next_cursor)}` : '';
      } while (cursor);
      expect(new Set(seen).size).toBe(7);
      expect(seen).toHaveLength(7);
    });

    test('calls are found by caller, trace, time and text, as whole envelopes on request', async () => {
      const run_id = `find-${process.pid}-${String(order().account)}`;
      const inputs = { ...order(), note: 'Needle in Hay' };
      const done = (await at.agent.call({ tool: 'probe_http_effect', inputs, context: { run_id } })).body as unknown as Record<
        string,
        unknown
      >;
      const found = async (query: string) =>
        (await at.agent.request<{ items: Record<string, unknown>[] }>('GET', `/v1/calls?run_id=${run_id}&${query}`)).body.items;
      const { id } = done.principal as { id: string };
      const after = encodeURIComponent(String(done.requested_at));
      for (const query of [`principal=${id}`, `trace_id=${done.trace_id}`, 'text=needle%20IN', `requested_after=${after}`])
        expect([query, await found(query)]).toMatchObject([query, [{ call_id: done.call_id, tool: 'probe_http_effect' }]]);
      for (const query of ['principal=none', `trace_id=${'0'.repeat(32)}`, 'text=haystack', `requested_before=${after}`])
        expect([query, await found(query)]).toEqual([query, []]);
      expect(await found('expand=*')).toMatchObject([{ inputs: done.inputs, input: done.inputs, output: done.output }]);
    });

    test('a batch returns one line for each call as it ends; a call whose dependency failed is not sent', async () => {
      const calls = [
        { tool: 'probe_http_effect', inputs: order() },
        { tool: 'probe_fail', inputs: order({ effect: 'none', code: 'PROVIDER_ERROR' }) },
        { tool: 'probe_http_effect', inputs: order(), depends_on: [0] },
        { tool: 'probe_http_effect', inputs: order(), depends_on: [1] },
      ];
      const before = (await at.counterparty.stats()).effects;
      const answer = await at.agent.request<string>('POST', '/v1/calls:batch', { calls });
      expect(answer.status).toBe(200);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      expect(text.trim().split('\n')).toHaveLength(4);
      expect((await at.counterparty.stats()).effects - before).toBe(2);
    });

    test('events of a call are streamed until its end', async () => {
      const envelope = (await at.agent.call({ tool: 'probe_approval', inputs: order() })).body;
      const stream = await fetch(`${at.agent.base}/v1/calls/${envelope.call_id}/events`, {
        headers: { authorization: `Bearer ${at.agent.key}`, accept: 'text/event-stream' },
      });
      expect(stream.headers.get('content-type')).toContain('text/event-stream');
      await at.anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, { vote: 'approve' });
      const text = await stream.text();
      expect(text).toContain('pending_approval');
      expect(text).toContain('succeeded');
      expect(text).toMatch(/^id: /m);
    });
  });

  describe('tenants', () => {
    test('ids of another tenant are the same 404 as ids that do not exist, and its lists are empty', async () => {
      await at.admin.request('POST', '/v1/tenants', { tenant_id: 'globex' });
      const stranger = await at.admin.keyFor('agent', 'spy', ['agent', 'approver', 'operator'], 'globex');
      const mine = (await at.agent.call({ tool: 'probe_approval', inputs: order() })).body;
      const absent = `${mine.call_id.slice(0, -12)}000000000000`;
      const probes = ['', '/events'].map((tail) => (id: string) => stranger.request('GET', `/v1/calls/${id}${tail}`));
      const votes = (id: string) => stranger.request('POST', `/v1/approvals/${id}/votes`, { vote: 'approve' });
      for (const probe of probes) {
        const [foreign, missing] = [await probe(mine.call_id), await probe(absent)];
        expect(foreign.status).toBe(404);
        const strip = (body: object) =>
          JSON.stringify({ ...body, request_id: '' })
            .replaceAll(mine.call_id, 'ID')
            .replaceAll(absent, 'ID');
        expect(strip(foreign.body)).toBe(strip(missing.body));
      }
      expect((await votes(mine.approval?.approval_id as string)).status).toBe(404);
      expect((await stranger.request('POST', `/v1/calls/${mine.call_id}/cancel`, {})).status).toBe(404);
      for (const query of ['', '?text=probe', `?text=${mine.call_id}`, '?expand=*&principal=agent'])
        expect((await stranger.request<{ items: unknown[] }>('GET', `/v1/calls${query}`)).body.items).toEqual([]);
      expect((await stranger.request<{ items: unknown[] }>('GET', '/v1/approvals')).body.items).toEqual([]);
    });
  });
}
