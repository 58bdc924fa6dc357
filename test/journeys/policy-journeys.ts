import { afterAll, describe, expect, test } from '@jest/globals';
import type { Answer, Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

let serial = 0;

interface Decision {
  effect: string;
  rule: string;
  bundle_version: string;
  rules_matched?: string[];
  tags?: string[];
  shadow?: { effect: string; rule: string };
  facts?: { table: string; version: number }[];
}
interface Instances {
  config_offset: number;
  instances: { instance_id: string; service: string; has_it: boolean }[];
}

const WAIT = { prefer: 'wait=20' };
const decisionOf = ({ body }: Answer<Envelope>): Decision => body.decision as unknown as Decision;

/** Policy bundles: published and activated through the API, seen to rule calls; rules are about agents of their own. */
export function describePolicyJourneys(at: JourneyWorld): void {
  describe('policies', () => {
    const fresh = async (): Promise<[Api, string]> => {
      const name = `ruled-${process.pid}-${++serial}`;
      return [await at.admin.keyFor('agent', name, ['agent']), name];
    };
    const publish = async (rules: object[], more: object = {}) => {
      const answer = await at.admin.request<{ version: string; digest: string }>('POST', '/v1/policies', { rules, ...more });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
      return answer.body.version;
    };
    const activate = async (version: string | null, shadow: string | null = null) => {
      const answer = await at.admin.request<Instances>('PUT', '/v1/policies/active', { version, shadow });
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
      return answer.body;
    };
    const ruled = async (rules: object[], more: object = {}) => activate(await publish(rules, more));
    const effect = (by: Api, tool: string, more: Record<string, unknown> = {}) => by.call({ tool, inputs: order(more) }, WAIT);
    const facts = (table: string, rows: unknown) => at.admin.request('PUT', `/v1/facts/${table}`, { rows });

    afterAll(() => activate(null));

    test("Korso's rule: small orders of known suppliers run, others wait for a person; a row in the table changes it", async () => {
      const [agent, name] = await fresh();
      await facts('suppliers', ['alpha']);
      const live = await ruled([
        {
          id: 'auto-approve',
          tools: 'probe_approval',
          when: `principal.id == "${name}" && inputs.amount < 5000 && inputs.note in facts.suppliers`,
          effect: 'allow',
        },
      ]);
      expect(live.instances.map(({ service }) => service).sort()).toEqual(expect.arrayContaining(['executor', 'gateway', 'policy']));
      expect(live.instances.every(({ has_it }) => has_it)).toBe(true);
      const small = await effect(agent, 'probe_approval', { amount: 4200, note: 'alpha' });
      expect(small.body.status).toBe('succeeded');
      expect(decisionOf(small)).toMatchObject({ effect: 'allow', rule: 'auto-approve', rules_matched: ['auto-approve'] });
      expect(decisionOf(small).facts).toMatchObject([{ table: 'suppliers' }]);
      expect((await effect(agent, 'probe_approval', { amount: 5000, note: 'alpha' })).body.status).toBe('pending_approval');
      expect((await effect(agent, 'probe_approval', { amount: 10, note: 'beta' })).body.status).toBe('pending_approval');
      const row = await at.admin.request<Instances>('PATCH', '/v1/facts/suppliers', { set: { beta: true } });
      expect(row.body.instances.every(({ has_it }) => has_it)).toBe(true);
      expect((await effect(agent, 'probe_approval', { amount: 10, note: 'beta' })).body.status).toBe('succeeded');
      const tier = await agent.request('POST', '/v1/policies/tools/probe_approval/resolve', { inputs: order({ note: 'beta' }) });
      expect(tier.body).toMatchObject({ tier: 'tier_1_auto', effect: 'allow', rule: 'auto-approve' });
    });

    test('a bundle that cannot be used is a 422 with rule, place and reason, and nothing is published', async () => {
      const before = await at.admin.request<{ items: unknown[] }>('GET', '/v1/policies?limit=500');
      const rules = [
        { id: 'fine', effect: 'deny', when: 'inputs.amount > 3' },
        { id: 'typo', tools: 'probe_approval', effect: 'allow', when: 'inputs.amout < 5' },
        { id: 'cut', effect: 'deny', when: 'inputs.amount <' },
      ];
      const refused = await at.admin.request<{ validation: { issues: object[] } }>('POST', '/v1/policies', { rules });
      expect(refused.status).toBe(422);
      expect(refused.body.validation.issues).toMatchObject([
        { rule: 'typo', path: '/rules/1/when', position: { line: 1, column: 7 }, reason: expect.stringContaining('amout') },
        { rule: 'cut', path: '/rules/2/when', position: { line: 1, column: 15 } },
      ]);
      const unknown = await at.admin.request('POST', '/v1/policies', { rules: [{ id: 'x', effect: 'maybe' }] });
      expect(unknown).toMatchObject({ status: 422, body: { validation: { issues: [{ rule: 'x', path: '/rules/0/effect' }] } } });
      const after = await at.admin.request<{ items: unknown[] }>('GET', '/v1/policies?limit=500');
      expect(after.body.items).toHaveLength(before.body.items.length);
      const [agent] = await fresh();
      expect((await agent.request('POST', '/v1/policies', { rules: [] })).status).toBe(403);
    });

    test('a version never changes, and going back is one request', async () => {
      const [agent, name] = await fresh();
      const deny = { id: 'no', tools: 'probe_read', when: `principal.id == "${name}"`, effect: 'deny' };
      const version = await publish([deny]);
      expect((await at.admin.request('POST', '/v1/policies', { version, rules: [] })).status).toBe(409);
      expect((await at.admin.request('POST', '/v1/policies', { version, rules: [deny] })).status).toBe(201);
      await activate(null);
      await activate(version);
      expect((await agent.call({ tool: 'probe_read', inputs: {} }, WAIT)).body).toMatchObject({
        status: 'denied',
        decision: { rule: 'no' },
      });
      expect((await at.admin.request('POST', '/v1/policies:rollback')).status).toBe(200);
      expect((await agent.call({ tool: 'probe_read', inputs: {} }, WAIT)).body.status).toBe('succeeded');
    });

    test('a bundle in shadow is recorded with each ruling and stops nobody', async () => {
      const [agent, name] = await fresh();
      const shadow = await publish([{ id: 'would-deny', when: `principal.id == "${name}"`, effect: 'deny' }]);
      await activate(null, shadow);
      const call = await effect(agent, 'probe_http_effect');
      expect(call.body.status).toBe('succeeded');
      expect(decisionOf(call).shadow).toMatchObject({ effect: 'deny', rule: 'would-deny', bundle_version: shadow });
    });

    test('obligations act: a cap lowers what is sent, a redaction hides what comes back, a tag is shown', async () => {
      const [agent, name] = await fresh();
      await ruled([
        {
          id: 'careful',
          tools: 'probe_http_effect',
          when: `principal.id == "${name}"`,
          effect: 'allow',
          obligations: [{ cap: { path: '/amount', max: 5, otherwise: 'lower' } }, { redact: ['/key'] }, { tag: 'careful' }],
        },
        { id: 'strict', tools: 'probe_read', effect: 'allow', obligations: [{ tag: 'read' }] },
      ]);
      const sent = order({ amount: 700 });
      const call = await agent.call({ tool: 'probe_http_effect', inputs: sent }, WAIT);
      expect(call.body).toMatchObject({ status: 'succeeded', output: { key: '[redacted]' }, input: { ...sent, amount: 5 } });
      expect(decisionOf(call).tags).toEqual(['careful']);
      const read = await agent.request<Envelope>('GET', `/v1/calls/${call.body.call_id}`);
      expect(read.body.output).toMatchObject({ key: '[redacted]' });
      const others = await at.agent.call({ tool: 'probe_http_effect', inputs: order({ amount: 700 }) }, WAIT);
      expect(others.body.output?.key).not.toBe('[redacted]');
    });

    test('a denial that comes after the approval stops the call before it fires', async () => {
      const [agent, name] = await fresh();
      await activate(null);
      const call = await effect(agent, 'probe_approval');
      const approval_id = call.body.approval?.approval_id as string;
      const deny = await publish([{ id: 'too-late', when: `principal.id == "${name}"`, effect: 'deny' }]);
      const before = (await at.counterparty.stats()).effects;
      await activate(deny);
      await at.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' });
      const end = await agent.callUntil(call.body.call_id, ({ status }) => status === 'denied');
      expect(end).toMatchObject({ status: 'denied', decision: { rule: 'too-late' } });
      expect((await at.counterparty.stats()).effects).toBe(before);
    });

    test('a rule that asks more people only after the approval refuses the call, or asks again where it says so', async () => {
      const [agent, name] = await fresh();
      const more = (id: string, at_execution?: string) => ({
        id,
        when: `principal.id == "${name}"`,
        effect: 'require_approval',
        approval: { quorum: 2 },
        ...(at_execution ? { at_execution } : {}),
      });
      const before = (await at.counterparty.stats()).effects;
      const approvedUnder = async (rule: object) => {
        await activate(null);
        const { body } = await effect(agent, 'probe_approval');
        await ruled([rule]);
        await at.anna.request('POST', `/v1/approvals/${body.approval?.approval_id}/votes`, { vote: 'approve' });
        return body.call_id;
      };
      const refused = await agent.callUntil(await approvedUnder(more('two-people')), ({ status }) => status === 'denied');
      expect(refused).toMatchObject({ decision: { rule: 'two-people', revision: 2 }, error: { code: 'POLICY_DENIED' } });
      const again = await agent.callUntil(await approvedUnder(more('two-people', 'ask')), ({ decision }) => decision?.revision === 2);
      expect(again).toMatchObject({ status: 'pending_approval', decision: { rule: 'two-people' } });
      expect((await at.counterparty.stats()).effects).toBe(before);
    });

    test('a call waits for a time, for another call, and no longer than it may', async () => {
      const [agent, name] = await fresh();
      await activate(null);
      const first = await effect(agent, 'probe_approval');
      const soon = new Date(Date.now() + 1500).toISOString();
      const wait = (id: string, note: string, until: string, timeout_ms = 20_000) => ({
        id,
        tools: 'probe_http_effect',
        when: `principal.id == "${name}" && inputs.note == "${note}"`,
        effect: 'defer',
        defer: { until, timeout_ms },
      });
      await ruled([
        wait('later', 'later', `now > timestamp("${soon}")`),
        wait('after', 'after', `call ${first.body.call_id} ended`),
        wait('never', 'never', 'inputs.amount > 1000000', 700),
      ]);
      const held = await agent.call({ tool: 'probe_http_effect', inputs: order({ note: 'after' }) }, { prefer: 'wait=0' });
      expect(held.body).toMatchObject({ decision: { effect: 'defer', rule: 'after' } });
      expect((await effect(agent, 'probe_http_effect', { note: 'later' })).body.status).toBe('succeeded');
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon));
      const never = await effect(agent, 'probe_http_effect', { note: 'never' });
      expect(never.body).toMatchObject({ status: 'denied', error: { code: 'TIMEOUT' } });
      await at.anna.request('POST', `/v1/approvals/${first.body.approval?.approval_id}/votes`, { vote: 'approve' });
      await agent.callUntil(held.body.call_id, ({ status }) => status === 'succeeded');
    });

    test('dangerous operations are asked about in every tenant, and what leaves nothing is denied', async () => {
      await activate(null);
      const [agent] = await fresh();
      const asked = await effect(agent, 'probe_http_effect', { note: 'DROP/**/TABLE users' });
      expect(asked.body).toMatchObject({ status: 'pending_approval', decision: { rule: 'builtin.dangerous_operation' } });
      const fatal = await effect(agent, 'probe_http_effect', { note: 'sudo rm -rf --no-preserve-root /' });
      expect(fatal.body).toMatchObject({ status: 'denied', decision: { rule: 'builtin.dangerous_operation' } });
    });

    test('a simulation tells what would change, and its report lets a bundle be published', async () => {
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
      await at.admin.request('PUT', '/v1/policies/settings', { simulation_required: true });
      const { simulation } = simulated.body;
      expect((await at.admin.request('POST', '/v1/policies', bundle)).status).toBe(409);
      expect((await at.admin.request('POST', '/v1/policies', { rules: [], simulation })).status).toBe(409);
      const published = await at.admin.request('POST', '/v1/policies', { ...bundle, simulation });
      await at.admin.request('PUT', '/v1/policies/settings', { simulation_required: false });
      expect(published).toMatchObject({ status: 201, body: { simulation_digest: (simulation as { digest: string }).digest } });
    });

    test('AuthZEN answers the same question without a call', async () => {
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
    });

    test('1,000 rules are live everywhere in under a second, and rule', async () => {
      const [agent, name] = await fresh();
      const many = Array.from({ length: 999 }, (_, i) => ({
        id: `r${i}`,
        when: `principal.id == "none" && inputs.n == ${i}`,
        effect: 'deny',
      }));
      const version = await publish([...many, { id: 'last', tools: 'probe_read', when: `principal.id == "${name}"`, effect: 'deny' }]);
      const begun = performance.now();
      const live = await activate(version);
      expect(performance.now() - begun).toBeLessThan(1000);
      expect(live.instances.every(({ has_it }) => has_it)).toBe(true);
      expect((await agent.call({ tool: 'probe_read', inputs: {} }, WAIT)).body).toMatchObject({
        status: 'denied',
        decision: { rule: 'last' },
      });
      await activate(null);
    });

    test('a change is live everywhere in under a second', async () => {
      const [agent, name] = await fresh();
      const version = await publish([{ id: 'no', tools: 'probe_read', when: `principal.id == "${name}"`, effect: 'deny' }]);
      for (let round = 0; round < 5; round++) {
        const begun = performance.now();
        const live = await activate(round % 2 === 0 ? version : null);
        expect(performance.now() - begun).toBeLessThan(1000);
        expect(live.instances.every(({ has_it }) => has_it)).toBe(true);
        expect((await agent.call({ tool: 'probe_read', inputs: {} }, WAIT)).body.status).toBe(round % 2 === 0 ? 'denied' : 'succeeded');
      }
    });
  });
}
