import { afterAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { policyActions, WAIT } from './policy-actions.js';

/** What is known before a bundle takes effect, and how soon it does. */
export function describePublishingJourneys(at: JourneyWorld): void {
  describe('publishing policies', () => {
    const { fresh, publish, activate, ruled, effect } = policyActions(at);

    afterAll(() => activate(null));

    test('a simulation reports what would change, and its report allows a bundle to be published', async () => {
      const [agent, name] = await fresh();
      await activate(null);
      const run = await effect(agent, 'probe_http_effect');
      const waits = await effect(agent, 'probe_approval');
      const mine = `principal.id == "${name}"`;
      const bundle = {
        rules: [
          { id: 'stop', tools: 'probe_http_effect', when: mine, effect: 'deny' },
          { id: 'go', tools: 'probe_approval', when: mine, effect: 'allow' },
        ],
      };
      const call_ids = [run.body.call_id, waits.body.call_id];
      type Report = { counts: object; differences: object[]; simulation: object };
      const simulated = await at.admin.request<Report>('POST', '/v1/policies:simulate', { bundle, call_ids });
      expect(simulated).toMatchObject({ status: 200, body: { calls: 2, counts: { newly_denied: 1, approval_avoided: 1 } } });
      expect(simulated.body.differences).toMatchObject([
        { call_id: run.body.call_id, difference: 'newly_denied', before: { effect: 'allow' }, after: { rule: 'stop' } },
        { call_id: waits.body.call_id, difference: 'approval_avoided', after: { rule: 'go' } },
      ]);
      const range = await at.admin.request('POST', '/v1/policies:simulate', { bundle, from: new Date(Date.now() - 600_000).toISOString() });
      expect(range).toMatchObject({ status: 200, body: { counts: { newly_denied: 1, approval_avoided: 1 } } });
      const other = await publish([]);
      await at.admin.request('PUT', '/v1/policies/settings', { simulation_required: true });
      const { simulation } = simulated.body;
      expect((await at.admin.request('POST', '/v1/policies', bundle)).status).toBe(409);
      expect((await at.admin.request('POST', '/v1/policies', { rules: [], simulation })).status).toBe(409);
      await activate(other);
      const stale = await at.admin.request('POST', '/v1/policies', { ...bundle, simulation });
      expect(stale).toMatchObject({ status: 409, body: { detail: expect.stringContaining('the active policy has changed') } });
      await activate(null);
      const published = await at.admin.request('POST', '/v1/policies', { ...bundle, simulation });
      await at.admin.request('PUT', '/v1/policies/settings', { simulation_required: false });
      expect(published).toMatchObject({ status: 201, body: { simulation_digest: (simulation as { digest: string }).digest } });
    });

    test('AuthZEN gives the same decision without a call', async () => {
      const [agent, name] = await fresh();
      await ruled([{ id: 'go', tools: 'probe_approval', when: `principal.id == "${name}" && inputs.amount < 5`, effect: 'allow' }]);
      const ask = (by: Api, amount: number, id = name) =>
        by.request('POST', '/access/v1/evaluation', {
          subject: { type: 'agent', id },
          action: { name: 'probe_approval', properties: { inputs: { ...order(), amount } } },
          resource: { type: 'tool', id: 'probe_approval' },
        });
      expect((await ask(agent, 4)).body).toMatchObject({ decision: true, context: { effect: 'allow', rule: 'go' } });
      expect((await ask(agent, 6)).body).toMatchObject({ decision: false, context: { effect: 'require_approval' } });
      expect((await ask(at.admin, 4)).body).toMatchObject({ decision: true });
      expect((await ask(agent, 4, 'somebody-else')).status).toBe(403);
      const only = { kind: 'enabled_tools', scope: 'agent', subjects: [name], allowed: ['probe_read'] };
      expect((await at.admin.request('PUT', `/v1/limits/${name}`, only)).status).toBe(200);
      const refused = { effect: 'deny', rule: `limit.${name}`, inputs_digest: expect.stringMatching(/^[0-9a-f]{64}$/) };
      expect((await ask(agent, 4)).body).toMatchObject({ decision: false, context: refused });
      const called = await agent.call({ tool: 'probe_approval', inputs: { ...order(), amount: 4 } }, WAIT);
      expect(called.body).toMatchObject({ status: 'denied', decision: refused });
    });

    test('1,000 rules apply everywhere once their activation has its response', async () => {
      const [agent, name] = await fresh();
      const many = Array.from({ length: 999 }, (_, i) => ({
        id: `r${i}`,
        when: `principal.id == "none" && inputs.amount == ${i}`,
        effect: 'deny',
      }));
      await ruled([...many, { id: 'last', tools: 'probe_read', when: `principal.id == "${name}"`, effect: 'deny' }]);
      expect((await agent.call({ tool: 'probe_read', inputs: {} }, WAIT)).body).toMatchObject({
        status: 'denied',
        decision: { rule: 'last' },
      });
      await activate(null);
    });

    test('a call after the response to an activation is always decided by it', async () => {
      const [agent, name] = await fresh();
      const version = await publish([{ id: 'no', tools: 'probe_read', when: `principal.id == "${name}"`, effect: 'deny' }]);
      const statuses: string[] = [];
      for (const active of [version, null, version, null, version]) {
        await activate(active);
        statuses.push((await agent.call({ tool: 'probe_read', inputs: {} }, WAIT)).body.status);
      }
      expect(statuses).toEqual(['denied', 'succeeded', 'denied', 'succeeded', 'denied']);
    });
  });
}
