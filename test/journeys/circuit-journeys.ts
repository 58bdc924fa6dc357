import { beforeAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

const WAIT = { prefer: 'wait=20' };
const TOOL = 'probe_fail';

interface Circuit {
  tool: string;
  version: string;
  state: string;
  openings: number;
  opened_at: string | null;
  half_open_at: string | null;
}

/** The circuit of a tool that fails, through the API; in a separate tenant. */
export function describeCircuitJourneys(at: JourneyWorld): void {
  describe('circuits', () => {
    const tenant_id = `breaking-${process.pid}`;
    let boss: Api;
    let agent: Api;

    beforeAll(async () => {
      expect((await at.admin.request('POST', '/v1/tenants', { tenant_id })).status).toBe(201);
      boss = await at.admin.keyFor('user', 'boss', ['admin'], tenant_id);
      agent = await at.admin.keyFor('agent', 'caller', ['agent'], tenant_id);
    });

    const fail = (code: string, more: object = {}) => agent.call({ tool: TOOL, inputs: order({ effect: 'none', code }), ...more }, WAIT);
    const circuits = async (by = agent) => (await by.request<{ items: Circuit[] }>('GET', '/v1/circuits')).body.items;
    const shown = async () => (await agent.request<{ circuit: string }>('GET', `/v1/tools/${TOOL}/versions/1.0.0`)).body.circuit;
    const until = async (met: () => Promise<boolean>) => {
      for (let n = 0; !(await met()); n++) {
        if (n > 200) throw new Error('not within 20 s');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };

    test('calls that are refused, or that their own deadline cuts off, open no circuit', async () => {
      await Promise.all(Array.from({ length: 12 }, () => fail('VALIDATION_ERROR')));
      const deadline = new Date(Date.now() + 700).toISOString();
      const slow = { tool: 'probe_slow', inputs: { duration_ms: 60_000 }, deadline };
      const cut = await Promise.all(Array.from({ length: 12 }, () => agent.call(slow, WAIT)));
      expect(cut.map(({ body }) => body.status)).toContain('failed');
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect([await circuits(), await shown()]).toEqual([[], 'closed']);
    });

    test('a tool whose provider fails has an open circuit in its record and in the list, for its tenant alone', async () => {
      await Promise.all(Array.from({ length: 12 }, () => fail('PROVIDER_ERROR')));
      await until(async () => (await circuits())[0]?.state === 'open');
      const [circuit] = await circuits();
      expect(circuit).toMatchObject({ tool: TOOL, version: '1.0.0', openings: 1, opened_at: expect.any(String) });
      expect(Date.parse(circuit?.half_open_at ?? '') - Date.parse(circuit?.opened_at ?? '')).toBe(30_000);
      expect(await shown()).toBe('open');
      expect(await circuits(at.agent)).not.toContainEqual(circuit);
    });

    test('a direct call still runs, until a rule says otherwise; its decision holds what the rule saw', async () => {
      expect((await fail('PROVIDER_ERROR')).body).toMatchObject({ status: 'failed', decision: { effect: 'allow' } });
      const rules = [{ id: 'broken', tools: TOOL, when: 'history.circuit == "open"', effect: 'deny' }];
      const { body } = await boss.request<{ version: string }>('POST', '/v1/policies', { rules });
      expect((await boss.request('PUT', '/v1/policies/active', { version: body.version, shadow: null })).status).toBe(200);
      expect((await fail('PROVIDER_ERROR')).body).toMatchObject({
        status: 'denied',
        decision: { rule: 'broken', history: { circuit: 'open' } },
      });
    });
  });
}
