import { describe, expect, test } from 'vitest';
import type { Answer, Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

let serial = 0;

/** Guard limits: each set through the API and tested with its own agents, so that journeys share no counters. */
export function describeLimitJourneys(at: JourneyWorld): void {
  describe('limits', () => {
    const fresh = async (): Promise<[Api, string]> => {
      const name = `limited-${process.pid}-${++serial}`;
      return [await at.admin.keyFor('agent', name, ['agent']), name];
    };
    const limit = async (limit_id: string, body: Record<string, unknown>) => {
      const answer = await at.admin.request('PUT', `/v1/limits/${limit_id}`, body);
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
    };
    const effect = (by: Api, more: Record<string, unknown> = {}, context?: Record<string, unknown>) =>
      by.call({ tool: 'probe_http_effect', inputs: order(more), ...(context ? { context } : {}) }, { prefer: 'wait=20' });
    const read = (by: Api, context?: Record<string, unknown>) =>
      by.call({ tool: 'probe_read', inputs: {}, ...(context ? { context } : {}) }, { prefer: 'wait=20' });
    const denied = ({ body }: Answer<Envelope>, limit_id: string) =>
      expect(body).toMatchObject({ status: 'denied', decision: { effect: 'deny', rule: `limit.${limit_id}` } });
    const usage = async (limit_id: string) =>
      (await at.admin.request<{ items: { used: number; max: number }[] }>('GET', `/v1/limits/${limit_id}/usage`)).body.items;

    test('100 concurrent calls with a limit of 10 give exactly 10 effects', async () => {
      const [agent, name] = await fresh();
      await limit(name, { kind: 'max_tool_calls', scope: 'agent', subjects: [name], max: 10 });
      const before = (await at.counterparty.stats()).effects;
      const answers = await Promise.all(Array.from({ length: 100 }, () => effect(agent)));
      expect(answers.filter(({ body }) => body.status === 'succeeded')).toHaveLength(10);
      expect(answers.filter(({ body }) => body.status === 'denied')).toHaveLength(90);
      expect((await at.counterparty.stats()).effects - before).toBe(10);
      expect(await usage(name)).toMatchObject([{ used: 10, max: 10 }]);
      await limit(name, { kind: 'max_tool_calls', scope: 'agent', subjects: [name], max: 11 });
      expect((await effect(agent)).body.status).toBe('succeeded');
      denied(await effect(agent), name);
    });

    test('repeats of one effect count once', async () => {
      const [agent, name] = await fresh();
      await limit(name, { kind: 'max_tool_calls', scope: 'agent', subjects: [name], max: 1 });
      const inputs = order({ delay_ms: 100 });
      const send = () => agent.call({ tool: 'probe_http_effect', inputs }, { prefer: 'wait=20' });
      const answers = await Promise.all(Array.from({ length: 8 }, send));
      expect(answers.map(({ body }) => body.status)).toEqual(answers.map(() => 'succeeded'));
      expect((await send()).body).toMatchObject({ status: 'succeeded', deduplicated: true });
      expect(await usage(name)).toMatchObject([{ used: 1 }]);
      denied(await effect(agent), name);
    });

    test('a run may make 25 calls and no more, and at most 10 iterations', async () => {
      const run_id = `run-limited-${process.pid}-${++serial}`;
      const answers = await Promise.all(Array.from({ length: 30 }, () => read(at.agent, { run_id })));
      expect(answers.filter(({ body }) => body.status === 'succeeded')).toHaveLength(25);
      denied(await read(at.agent, { run_id }), 'default.max_tool_calls');
      denied(await read(at.agent, { run_id: `${run_id}-b`, iteration: 11 }), 'default.max_iterations');
      expect((await read(at.agent, { run_id: `${run_id}-b`, iteration: 10 })).body.status).toBe('succeeded');
    });

    test('a tool that is not enabled or exceeds the allowed side effects is refused for its agent and not for others', async () => {
      const [agent, name] = await fresh();
      await limit(name, { kind: 'enabled_tools', scope: 'agent', subjects: [name], allowed: ['probe_*'] });
      denied(await agent.call({ tool: 'list_directory', inputs: { path: '.' } }), name);
      expect((await read(agent)).body.status).toBe('succeeded');
      await limit(`${name}-effects`, { kind: 'side_effects', scope: 'agent', subjects: [name], side_effects: 'reads' });
      denied(await effect(agent), `${name}-effects`);
      expect((await read(agent)).body.status).toBe('succeeded');
      expect((await at.agent.call({ tool: 'list_directory', inputs: { path: '.' } })).body.status).toBe('succeeded');
    });

    test('the sum of an input is counted separately for each value of another input', async () => {
      const [agent, name] = await fresh();
      const sum = { kind: 'cumulative', scope: 'agent', subjects: [name], window_ms: 86_400_000 };
      await limit(name, { ...sum, amount: 'inputs.amount', per: 'inputs.note', max: 100 });
      expect((await effect(agent, { amount: 60, note: 'alpha' })).body.status).toBe('succeeded');
      const over = await effect(agent, { amount: 41, note: 'alpha' });
      denied(over, name);
      expect(over.body.error).toMatchObject({ code: 'RATE_LIMIT', retryable: true, details: { used: 60, max: 100, asked: 41 } });
      expect((await effect(agent, { amount: 40, note: 'alpha' })).body.status).toBe('succeeded');
      expect((await effect(agent, { amount: 100, note: 'beta' })).body.status).toBe('succeeded');
    });

    test('a rate limit allows a number of calls in its window, and more after the window has moved', async () => {
      const [agent, name] = await fresh();
      await limit(name, { kind: 'rate', scope: 'agent', subjects: [name], max: 3, window_ms: 5000 });
      const answers = await Promise.all(Array.from({ length: 8 }, () => read(agent)));
      expect(answers.filter(({ body }) => body.status === 'succeeded')).toHaveLength(3);
      const refused = answers.find(({ body }) => body.status === 'denied') as Answer<Envelope & { error: { retry_after_s: number } }>;
      expect(refused.body.error).toMatchObject({ code: 'RATE_LIMIT', class: 'rate_limited', retry_after_s: expect.any(Number) });
      await new Promise((done) => setTimeout(done, refused.body.error.retry_after_s * 1000 + 50));
      expect((await read(agent)).body.status).toBe('succeeded');
    });

    test('an egress budget counts external calls, by capability', async () => {
      const [agent, name] = await fresh();
      await limit(name, { kind: 'egress', scope: 'capability', subjects: ['probe'], tools: ['probe_read'], max: 2, window_ms: 60_000 });
      const inside = () => agent.call({ tool: 'list_directory', inputs: { path: '.' } });
      for (let i = 0; i < 3; i++) expect((await inside()).body.status).toBe('succeeded');
      expect([(await read(agent)).body.status, (await read(agent)).body.status]).toEqual(['succeeded', 'succeeded']);
      denied(await read(agent), name);
      expect((await at.admin.request('DELETE', `/v1/limits/${name}`)).status).toBe(204);
      expect((await read(agent)).body.status).toBe('succeeded');
    });

    test('the cost of calls uses up a budget, and a cost ceiling stops an expensive call', async () => {
      const [agent, name] = await fresh();
      const keyed = (context?: Record<string, unknown>) =>
        agent.call({ tool: 'probe_http_keyed', inputs: order(), ...(context ? { context } : {}) }, { prefer: 'wait=20' });
      await limit(name, { kind: 'max_budget', scope: 'agent', subjects: [name], max: 0.6 });
      expect((await keyed()).body).toMatchObject({ status: 'succeeded', cost: 0.25 });
      expect((await keyed()).body.status).toBe('succeeded');
      denied(await keyed(), name);
      expect(await usage(name)).toMatchObject([{ used: 0.5, max: 0.6 }]);
      expect((await effect(agent)).body.status).toBe('succeeded');
      await limit(name, { kind: 'cost_ceiling', scope: 'agent', subjects: [name], max: 0.2 });
      denied(await keyed(), name);
      await limit(name, { kind: 'cost_ceiling', scope: 'agent', subjects: [name], max: 0.25 });
      const run_id = `run-budget-${process.pid}-${++serial}`;
      expect((await keyed({ run_id, run_budget: 0.3 })).body.status).toBe('succeeded');
      denied(await keyed({ run_id, run_budget: 0.3 }), 'context.run_budget');
      expect((await keyed({ run_id })).body.status).toBe('succeeded');
      denied(await keyed({ run_budget: 0.1 }), 'context.run_budget');
    });

    test('a case and a tool have separate limits, and a run in ask_all mode needs approval for every call', async () => {
      const [agent, name] = await fresh();
      const cases = await Promise.all([0, 1].map(() => agent.request<{ case_id: string }>('POST', '/v1/cases', {})));
      const [one, two] = cases.map(({ body }) => body.case_id) as [string, string];
      await limit(`${name}-case`, { kind: 'max_tool_calls', scope: 'case', subjects: [one], max: 1 });
      const within = (case_id: string) => agent.call({ tool: 'probe_http_effect', inputs: order(), case_id }, { prefer: 'wait=20' });
      expect((await within(one)).body.status).toBe('succeeded');
      denied(await within(one), `${name}-case`);
      expect((await within(two)).body.status).toBe('succeeded');
      await limit(`${name}-tool`, { kind: 'rate', scope: 'tool', subjects: ['probe_slow'], max: 1, window_ms: 60_000 });
      const slow = () => agent.call({ tool: 'probe_slow', inputs: { duration_ms: 1 } }, { prefer: 'wait=20' });
      expect((await slow()).body.status).toBe('succeeded');
      denied(await slow(), `${name}-tool`);
      expect((await read(agent)).body.status).toBe('succeeded');
      for (const limit_id of [`${name}-case`, `${name}-tool`]) await at.admin.request('DELETE', `/v1/limits/${limit_id}`);
      const submitted = await effect(agent, {}, { safety_mode: 'ask_all' });
      expect(submitted.body).toMatchObject({ status: 'pending_approval' });
      expect((await effect(agent, {}, { safety_mode: 'read_only' })).body.status).toBe('denied');
    });

    test('the amount counts as edited by the approver', async () => {
      const [agent, name] = await fresh();
      const sum = { kind: 'cumulative', scope: 'agent', subjects: [name], window_ms: 86_400_000, amount: 'inputs.amount', max: 100 };
      await limit(name, sum);
      const inputs = order({ amount: 90 });
      const waiting = (await agent.call({ tool: 'probe_approval', inputs })).body;
      expect(await usage(name)).toMatchObject([{ used: 90 }]);
      const edit = (amount: number) =>
        at.anna.request('POST', `/v1/approvals/${waiting.approval?.approval_id}/votes`, { vote: 'edit', inputs: { ...inputs, amount } });
      expect((await edit(101)).status).toBe(409);
      expect((await edit(30)).status).toBe(200);
      await agent.callUntil(waiting.call_id, (call) => call.status === 'succeeded');
      expect(await usage(name)).toMatchObject([{ used: 30 }]);
      expect((await effect(agent, { amount: 70 })).body.status).toBe('succeeded');
      denied(await effect(agent, { amount: 1 }), name);
    });

    test('a limit that is lowered while a call waits for people applies when the call would run', async () => {
      const [agent, name] = await fresh();
      await limit(name, { kind: 'side_effects', scope: 'agent', subjects: [name], side_effects: 'writes' });
      const waiting = (await agent.call({ tool: 'probe_approval', inputs: order() })).body;
      expect(waiting.status).toBe('pending_approval');
      await limit(name, { kind: 'side_effects', scope: 'agent', subjects: [name], side_effects: 'reads' });
      await at.anna.request('POST', `/v1/approvals/${waiting.approval?.approval_id}/votes`, { vote: 'approve' });
      const ended = await agent.callUntil(waiting.call_id, (call) => call.status === 'denied');
      expect(ended.decision).toMatchObject({ effect: 'deny', revision: 2, rule: `limit.${name}` });
      expect(await at.counterparty.effectsOf(waiting.idempotency_key)).toHaveLength(0);
    });

    test('a limit may delay calls: they run one after the other as their window moves', async () => {
      const [agent, name] = await fresh();
      await limit(name, {
        kind: 'rate',
        scope: 'agent',
        subjects: [name],
        max: 1,
        window_ms: 1000,
        on_exceeded: 'defer',
        defer_timeout_ms: 20_000,
      });
      const started = performance.now();
      const answers = await Promise.all([read(agent), read(agent), read(agent)]);
      expect(answers.map(({ body }) => body.status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
      expect(performance.now() - started).toBeGreaterThan(2000);
      expect(answers.filter(({ body }) => (body.decision?.revision ?? 0) > 1)).toHaveLength(2);
    });

    test('a call waits for a running prerequisite, and is denied if that does not succeed', async () => {
      const behind = (call_id: string) =>
        at.agent.call({ tool: 'probe_http_effect', inputs: order(), context: { depends_on: [call_id] } }, { prefer: 'wait=0' });
      const vote = (envelope: Envelope, body: Record<string, unknown>) =>
        at.anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, body);
      const [first, second] = [
        (await at.agent.call({ tool: 'probe_approval', inputs: order() })).body,
        (await at.agent.call({ tool: 'probe_approval', inputs: order() })).body,
      ];
      const [waits, fails] = [await behind(first.call_id), await behind(second.call_id)];
      expect(waits.status).toBe(202);
      expect(waits.body).toMatchObject({
        status: 'pending_policy',
        error: null,
        decision: { effect: 'defer', rule: 'prerequisite.running' },
      });
      expect(waits.body.decision).toMatchObject({ defer: { until: 'call_ended', call_ids: [first.call_id], on_timeout: 'deny' } });
      await vote(first, { vote: 'approve' });
      await vote(second, { vote: 'deny', reason: 'not this one' });
      const ran = await at.agent.callUntil(waits.body.call_id, (call) => call.status === 'succeeded');
      expect(ran.decision).toMatchObject({ effect: 'allow', revision: 2 });
      const denied = await at.agent.callUntil(fails.body.call_id, (call) => call.status === 'denied');
      expect(denied.decision).toMatchObject({ rule: 'prerequisite.not_succeeded' });
      expect(await at.counterparty.effectsOf(fails.body.idempotency_key)).toHaveLength(0);
    });

    test('limits have versions and an ETag, and invalid ones are refused', async () => {
      const [, name] = await fresh();
      const path = `/v1/limits/${name}`;
      const bad = (body: Record<string, unknown>) => at.admin.request<{ validation: { issues: { path: string }[] } }>('PUT', path, body);
      const uncompiled = await bad({ kind: 'cumulative', scope: 'tenant', max: 1, amount: 'inputs.total <' });
      expect(uncompiled).toMatchObject({ status: 422, body: { validation: { issues: [{ path: '/amount' }] } } });
      expect(await bad({ kind: 'rate', scope: 'tenant', max: 1 })).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('/window_ms') },
      });
      expect((await bad({ kind: 'rate', scope: 'galaxy', max: 1 })).status).toBe(400);
      expect((await at.agent.request('PUT', path, { kind: 'rate', scope: 'tenant', max: 1, window_ms: 1000 })).status).toBe(403);
      await limit(name, { kind: 'cost_ceiling', scope: 'tenant', max: 5, tools: ['no_such_tool'] });
      const stale = await at.admin.request('PUT', path, { kind: 'cost_ceiling', scope: 'tenant', max: 6 }, { 'if-match': '"7"' });
      expect(stale.status).toBe(412);
      expect((await at.admin.request('DELETE', path, undefined, { 'if-match': stale.headers.get('etag') as string })).status).toBe(204);
      expect((await at.admin.request('GET', path)).status).toBe(404);
      const versions = await at.admin.request<{ items: unknown[] }>('GET', `${path}/versions`);
      expect(versions.body.items).toMatchObject([
        { version: 2, removed: true },
        { version: 1, removed: false, max: 5 },
      ]);
      const all = await at.admin.request<{ items: { limit_id: string }[] }>('GET', '/v1/limits?limit=500');
      expect(all.body.items.map((item) => item.limit_id)).toEqual(expect.arrayContaining(['default.max_tool_calls']));
    });
  });
}
