import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

const WAIT = { prefer: 'wait=20' };
const TOOL = 'probe_approval';

interface Trust {
  score: number | null;
  score_reported: number | null;
  unscored: string | null;
  terms: { signal: string; weight: number; value: number; points: number }[] | null;
  decay: number;
  reliability: { reported: number | null; verified: number | null };
  runs: { counted: number; own: number; succeeded: number };
  ratings: number;
  last_verified: string | null;
  told: { score: number | null; band: string } | null;
  events: { count: number; href: string };
}

/** Scores, ratings and their effect on calls, through the API; in a separate tenant. */
export function describeTrustJourneys(at: JourneyWorld): void {
  describe('trust', () => {
    const tenant_id = `trusting-${process.pid}`;
    let boss: Api;
    let agent: Api;
    let anna: Api;

    beforeAll(async () => {
      expect((await at.admin.request('POST', '/v1/tenants', { tenant_id, running_max: 1 })).status).toBe(201);
      boss = await at.admin.keyFor('user', 'boss', ['admin'], tenant_id);
      agent = await at.admin.keyFor('agent', 'buyer', ['agent'], tenant_id);
      anna = await at.admin.keyFor('user', 'anna', ['approver'], tenant_id);
    });

    const trustOf = async (tool: string, query = '') => (await agent.request<Trust>('GET', `/v1/tools/${tool}/trust${query}`)).body;
    const ask = (inputs: Record<string, unknown> = order()) => agent.call({ tool: TOOL, inputs }, { prefer: 'wait=0' });
    const approve = async (submitted: Answer<Envelope>) => {
      const { call_id } = submitted.body;
      const waiting = await agent.callUntil(call_id, ({ status }) => status !== 'pending_policy');
      const vote = await anna.request('POST', `/v1/approvals/${waiting.approval?.approval_id}/votes`, { vote: 'approve' });
      expect({ status: vote.status, body: vote.body }).toMatchObject({ status: 200 });
      return call_id;
    };
    const rate = (by: Api, rating: number, tool = TOOL) => by.request('POST', `/v1/tools/${tool}/ratings`, { rating });
    const told = async (met: (score: number) => boolean) => {
      for (let n = 0; n < 300; n++) {
        const { told: now } = await trustOf(TOOL);
        if (now && now.score !== null && met(now.score)) return now.score;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error('it was not told');
    };
    const rule = async (rules: object[]) => {
      const { body } = await boss.request<{ version: string }>('POST', '/v1/policies', { rules });
      expect((await boss.request('PUT', '/v1/policies/active', { version: body.version, shadow: null })).status).toBe(200);
    };
    const verify = async () => {
      const { body } = await boss.request<{ digest: string }>('GET', `/v1/tools/${TOOL}/versions/1.1.0`);
      const cases = [{ title: 'seen', passed: true }];
      const verified_at = new Date(Date.now() + 86_400_000).toISOString();
      const result = { tool: TOOL, version: '1.1.0', contract_digest: body.digest, passed: 1, failed: 0, cases, verified_at };
      expect((await boss.request('POST', `/v1/tools/${TOOL}/versions/1.1.0/evaluations`, result)).status).toBe(201);
    };

    test('a tool that was never run or verified has no score, and a rule that needs one does not allow it', async () => {
      expect(await trustOf(TOOL)).toMatchObject({ score: null, unscored: 'never_run', told: null });
      await rule([{ id: 'trusted', tools: TOOL, when: 'trust.tool >= 0.0', effect: 'allow' }]);
      const submitted = await ask();
      expect(await agent.callUntil(submitted.body.call_id, ({ status }) => status !== 'pending_policy')).toMatchObject({
        status: 'pending_approval',
      });
      await agent.callUntil(await approve(submitted), ({ status }) => status === 'succeeded');
      expect(await trustOf(TOOL)).toMatchObject({ score: null, unscored: 'never_verified', runs: { own: 1 } });
    });

    test('a score is the sum of its terms times its decay, lists its events, and lets a rule allow', async () => {
      await verify();
      const found = await trustOf(TOOL);
      const sum = (found.terms ?? []).reduce((total, { points }) => total + points, 0);
      expect(found.score).toBeCloseTo(sum * found.decay, 9);
      expect(Object.fromEntries((found.terms ?? []).map(({ signal, value }) => [signal, value]))).toMatchObject({
        reliability: 1,
        schema_compliance: 1,
        latency: 0,
        security_audit: 0,
        rating: 0.5,
        usage_volume: expect.closeTo(Math.log10(2) / 4, 9),
      });
      // Verified in the future means now.
      expect(Math.abs(Date.parse(found.last_verified ?? '') - Date.now())).toBeLessThan(60_000);
      const events = await agent.request<{ items: { position: string; succeeded: boolean }[] }>('GET', found.events.href);
      expect(events.body.items).toMatchObject([{ position: expect.stringMatching(/^tool-executed:\d:\d+$/), succeeded: true }]);
      await told((score) => Math.abs(score - (found.score ?? 0)) < 0.02);
      expect((await agent.call({ tool: TOOL, inputs: order() }, WAIT)).body).toMatchObject({
        status: 'succeeded',
        decision: { rule: 'trusted' },
      });
    });

    test('only users of a tool can rate it, once each; the record shows it, and past scores do not change', async () => {
      const before = await trustOf(TOOL);
      const moment = new Date().toISOString();
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await rate(anna, 5)).status).toBe(403);
      expect((await rate(agent, 6)).status).toBe(400);
      expect((await rate(agent, 5, 'no_such_tool')).status).toBe(404);
      expect((await rate(agent, 1)).status).toBe(201);
      expect((await rate(agent, 5)).status).toBe(201);
      const ratings = await agent.request<{ items: object[] }>('GET', `/v1/tools/${TOOL}/ratings`);
      expect(ratings.body.items).toMatchObject([{ rater: 'agent:buyer', rating: 5, version: '1.1.0' }]);
      const after = await trustOf(TOOL);
      // From .5 to 1: .10 · .5 of its own, and a tenth of that again through its provider, which has no other tool that ran.
      expect((after.score ?? 0) - (before.score ?? 0)).toBeCloseTo(0.055, 3);
      const { body: record } = await agent.request('GET', `/v1/tools/${TOOL}/versions/1.1.0`);
      expect(record).toMatchObject({
        rating: { mean: 5, count: 1 },
        trust_score: expect.closeTo(after.score ?? 0, 3),
        usage: { runs: 2, succeeded: 2 },
      });
      const then = await trustOf(TOOL, `?as_of=${encodeURIComponent(moment)}`);
      expect(then).toMatchObject({ ratings: 0, score: expect.closeTo(before.score ?? 0, 3) });
      const { body: page } = await agent.request<{ items: { position: string }[] }>('GET', after.events.href);
      const first = await trustOf(TOOL, `?at_offset=${page.items.map(({ position }) => position).sort()[0]}`);
      expect([1, 2]).toContain(first.runs.own);
      expect((await agent.request('GET', `/v1/tools/${TOOL}/trust?at_offset=tool-executed:0:99999999`)).status).toBe(400);
      expect((await agent.request('GET', `/v1/tools/${TOOL}/trust?at_offset=nonsense`)).status).toBe(400);
    });

    test('an audit by a third party is recorded by an auditor with its evidence, and counts', async () => {
      const audit = (by: Api, body: object) => by.request('PUT', `/v1/tools/${TOOL}/versions/1.1.0/audit`, body);
      const before = await trustOf(TOOL);
      expect((await audit(agent, { audit_status: 'third_party' })).status).toBe(403);
      expect((await audit(boss, { audit_status: 'third_party' })).status).toBe(400);
      expect((await audit(boss, { audit_status: 'third_party', auditor: 'Lab', report: 'sha256:ab' })).status).toBe(200);
      expect((await trustOf(TOOL)).score).toBeCloseTo((before.score ?? 0) + 0.15 + 0.015, 2);
      expect((await audit(boss, { audit_status: 'unaudited' })).status).toBe(200);
      expect((await trustOf(TOOL)).score).toBeCloseTo(before.score ?? 0, 2);
    });

    test('a score that falls between the approval and the execution counts: the call is refused as the rule requires', async () => {
      const now = await told((score) => score > 0);
      const edge = ((await trustOf(TOOL)).score ?? now) - 0.05;
      await rule([
        { id: 'distrusted', tools: TOOL, when: `trust.tool < ${edge.toFixed(4)}`, effect: 'deny' },
        { id: 'people', tools: TOOL, effect: 'require_approval' },
      ]);
      await told((score) => score > edge + 0.02);
      const busy = await agent.call({ tool: 'probe_slow', inputs: { duration_ms: 100_000 } }, { prefer: 'wait=0' });
      const submitted = await ask();
      const open = await agent.callUntil(submitted.body.call_id, ({ status }) => status !== 'pending_policy');
      const { body: request } = await anna.request<{ evidence?: { trust_score: number | null } }>(
        'GET',
        `/v1/approvals/${open.approval?.approval_id}`,
      );
      expect(request.evidence?.trust_score).toBeGreaterThan(edge);
      const call_id = await approve(submitted);
      expect((await rate(agent, 0)).status).toBe(201);
      await told((score) => score < edge);
      expect((await agent.readCall(call_id)).body.status).toBe('running');
      expect((await agent.request('POST', `/v1/calls/${busy.body.call_id}/cancel`)).status).toBeLessThan(300);
      const ended = await agent.callUntil(call_id, ({ status }) => status !== 'running');
      expect(ended).toMatchObject({ status: 'denied', decision: { rule: 'distrusted' } });
      expect((await ask()).body).toMatchObject({ status: 'denied', decision: { rule: 'distrusted' } });
    });

    test('an agent has its own score, and other tenants do not see it', async () => {
      const { body } = await boss.request('GET', '/v1/trust/agents/buyer');
      expect(body).toMatchObject({ agent: 'buyer', score: expect.any(Number), decided: { granted: expect.any(Number) } });
      expect((await boss.request('GET', '/v1/trust/agents/nobody')).status).toBe(404);
      expect((await at.admin.request('GET', '/v1/trust/agents/buyer')).status).toBe(404);
      const { body: elsewhere } = await at.agent.request<Trust>('GET', `/v1/tools/${TOOL}/trust`);
      expect(elsewhere.ratings).toBe(0);
      expect((await boss.request('GET', '/v1/trust/providers/local')).body).toMatchObject({ provider: 'local', score: expect.any(Number) });
    });
  });
}
