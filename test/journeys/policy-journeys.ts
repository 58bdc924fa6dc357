import { afterAll, describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { decisionOf, type Instances, policyActions, WAIT } from './policy-actions.js';

/** Policy bundles: published and activated through the API, and tested with calls; each rule is about its own agent. */
export function describePolicyJourneys(at: JourneyWorld): void {
  describe('policies', () => {
    const { alarms, fresh, publish, activate, ruled, effect, facts } = policyActions(at);

    afterAll(() => activate(null));

    test("Korso's rule: small orders of known suppliers run, others wait for a person; a table row changes that", async () => {
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

    test('an unusable bundle is a 422 with rule, position and reason, and nothing is published', async () => {
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

    test('a version never changes, and a rollback is one request', async () => {
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

    test('a shadow bundle is recorded with each decision and stops no call', async () => {
      const [agent, name] = await fresh();
      const shadow = await publish([{ id: 'would-deny', when: `principal.id == "${name}"`, effect: 'deny' }]);
      await activate(null, shadow);
      const call = await effect(agent, 'probe_http_effect');
      expect(call.body.status).toBe('succeeded');
      expect(decisionOf(call).shadow).toMatchObject({ effect: 'deny', rule: 'would-deny', bundle_version: shadow });
    });

    test('obligations: a cap lowers what is sent, a redaction hides parts of the result, a tag is shown', async () => {
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

    test("obligations apply to an approver's edit before anyone sees it", async () => {
      const [agent, name] = await fresh();
      await ruled([
        {
          id: 'careful',
          tools: 'probe_approval',
          when: `principal.id == "${name}"`,
          effect: 'require_approval',
          approval: { quorum: 2 },
          obligations: [{ cap: { path: '/amount', max: 50, otherwise: 'lower' } }, { tag: 'careful' }],
        },
      ]);
      const inputs = order({ amount: 30 });
      const submitted = await agent.call({ tool: 'probe_approval', inputs }, { prefer: 'wait=0' });
      const approval_id = submitted.body.approval?.approval_id as string;
      const edit = { vote: 'edit', inputs: { ...inputs, amount: 700 } };
      const edited = await at.anna.request<Record<string, unknown>>('POST', `/v1/approvals/${approval_id}/votes`, edit);
      const shown = { edit: { diff: [{ op: 'replace', path: '/amount', value: 50 }] }, call: { input: { amount: 50 } }, status: 'pending' };
      expect(edited).toMatchObject({ status: 200, body: shown });
      const bert = await at.admin.keyFor('user', `bert-${name}`, ['approver']);
      const next = edited.body.approval_id as string;
      expect((await bert.request('POST', `/v1/approvals/${next}/votes`, { vote: 'approve' })).status).toBe(200);
      const end = await agent.callUntil(submitted.body.call_id, ({ status }) => status === 'succeeded');
      expect(end).toMatchObject({ input: { amount: 50 }, decision: { tags: ['careful'] } });
    });

    test('edited inputs need the approvers that policy requires for them', async () => {
      const [agent, name] = await fresh();
      const boss = await at.admin.keyFor('user', `boss-of-${name}`, ['auditor']);
      const mine = `principal.id == "${name}"`;
      const rule = (id: string, when: string, approval: object) => ({
        id,
        tools: 'probe_approval',
        when: `${mine} && ${when}`,
        effect: 'require_approval',
        approval,
      });
      await ruled([
        rule('small', 'inputs.amount <= 5000', { approver_roles: ['approver'] }),
        rule('large', 'inputs.amount > 5000', { people: [`boss-of-${name}`] }),
      ]);
      const submitted = async (inputs: object) =>
        (await agent.call({ tool: 'probe_approval', inputs: { ...inputs } }, { prefer: 'wait=0' })).body;
      const vote = (call: Envelope, body: object) => at.anna.request('POST', `/v1/approvals/${call.approval?.approval_id}/votes`, body);
      const [inputs, large] = [order({ amount: 100 }), await submitted(order({ amount: 1_000_000 }))];
      expect((await vote(large, { vote: 'approve' })).status).toBe(403);
      const small = await submitted(inputs);
      const raised = await vote(small, { vote: 'edit', inputs: { ...inputs, amount: 1_000_000 } });
      expect(raised).toMatchObject({ status: 200, body: { status: 'pending', parts: [{ rule: 'large', approvals: 0, quorum: 1 }] } });
      const { approval_id } = raised.body as { approval_id: string };
      expect((await at.anna.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' })).status).toBe(403);
      expect((await boss.request('POST', `/v1/approvals/${approval_id}/votes`, { vote: 'approve' })).status).toBe(200);
      const end = await agent.callUntil(small.call_id, ({ status }) => status === 'succeeded');
      expect(end).toMatchObject({ input: { amount: 1_000_000 } });
      const lowered = await submitted(order({ amount: 300 }));
      expect((await vote(lowered, { vote: 'edit', inputs: { ...inputs, amount: 200 } })).status).toBe(200);
      expect(await agent.callUntil(lowered.call_id, ({ status }) => status === 'succeeded')).toMatchObject({ input: { amount: 200 } });
      expect((await agent.readCall(large.call_id)).body.status).toBe('pending_approval');
    });

    test('a call for which two rules require approval needs the people of both, and the inbox shows who is missing', async () => {
      const [agent, name] = await fresh();
      const buyer = await at.admin.keyFor('user', `buyer-of-${name}`, ['operator']);
      const rule = (id: string, approval: object) => ({
        id,
        tools: 'probe_approval',
        when: `principal.id == "${name}"`,
        effect: 'require_approval',
        approval,
      });
      await ruled([rule('large', { approver_roles: ['approver'] }), rule('mismatch', { people: [`buyer-of-${name}`] })]);
      const call = (await agent.call({ tool: 'probe_approval', inputs: order() }, { prefer: 'wait=0' })).body;
      const url = `/v1/approvals/${call.approval?.approval_id}`;
      const once = await at.anna.request<{ parts: { rule: string; met: boolean }[] }>('POST', `${url}/votes`, { vote: 'approve' });
      expect(once).toMatchObject({ status: 200, body: { status: 'pending' } });
      expect(once.body.parts.map(({ rule: of, met }) => [of, met])).toEqual([
        ['large', true],
        ['mismatch', false],
      ]);
      expect((await at.admin.request('POST', `${url}/votes`, { vote: 'approve' })).status).toBe(403);
      expect((await buyer.request('POST', `${url}/votes`, { vote: 'approve' })).status).toBe(200);
      expect(await agent.callUntil(call.call_id, ({ status }) => status === 'succeeded')).toMatchObject({ status: 'succeeded' });
      expect((await at.admin.request('GET', url)).body).toMatchObject({ status: 'granted', parts: [{ met: true }, { met: true }] });
    });

    test('a denial after the approval stops the call before it runs', async () => {
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
      expect(await alarms(call.body.call_id)).toEqual(['stricter_at_execution']);
      expect((await at.counterparty.stats()).effects).toBe(before);
    });

    test('a rule that requires more people only after the approval refuses the call, or asks again if configured', async () => {
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
      const others = await approvedUnder({ ...more('operators'), approval: { approver_roles: ['operator'] } });
      expect(await agent.callUntil(others, ({ status }) => status === 'denied')).toMatchObject({ decision: { rule: 'operators' } });
      const refused = await agent.callUntil(await approvedUnder(more('two-people')), ({ status }) => status === 'denied');
      expect(refused).toMatchObject({ decision: { rule: 'two-people', revision: 2 }, error: { code: 'POLICY_DENIED' } });
      const again = await agent.callUntil(await approvedUnder(more('two-people', 'ask')), ({ decision }) => decision?.revision === 2);
      expect(again).toMatchObject({ status: 'pending_approval', decision: { rule: 'two-people' } });
      expect([await alarms(refused.call_id), await alarms(again.call_id)]).toEqual([['stricter_at_execution'], []]);
      expect((await at.counterparty.stats()).effects).toBe(before);
      const bert = await at.admin.keyFor('user', `bert-${name}`, ['approver']);
      const vote = { vote: 'approve' };
      for (const person of [at.anna, bert])
        expect((await person.request('POST', `/v1/approvals/${again.approval?.approval_id}/votes`, vote)).status).toBe(200);
      await agent.callUntil(again.call_id, ({ status }) => status === 'succeeded');
      expect((await at.counterparty.stats()).effects).toBe(before + 1);
    });

    test('a call waits for a time or for another call, and no longer than allowed', async () => {
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

    test('a deferred request goes to the same approvers as an immediate one, and names its bundle', async () => {
      const [, name] = await fresh();
      const principal = { kind: 'agent', id: name, roles: ['agent'] };
      const { key } = (await at.admin.request<{ key: string }>('POST', '/v1/keys', { principal, owner: `olga-${name}` })).body;
      const [agent, olga] = [at.admin.as(key), await at.admin.keyFor('user', `olga-${name}`, ['approver'])];
      const defer = { until: 'inputs.amount > 1000000', timeout_ms: 700, on_timeout: 'require_approval' };
      const version = await publish([{ id: 'wait', tools: 'probe_approval', when: `principal.id == "${name}"`, effect: 'defer', defer }]);
      await activate(version);
      const held = (await agent.call({ tool: 'probe_approval', inputs: order() }, { prefer: 'wait=0' })).body;
      expect(held.decision).toMatchObject({ effect: 'defer', rule: 'wait', bundle_version: version });
      const submitted = await agent.callUntil(held.call_id, ({ status }) => status === 'pending_approval');
      const path = `/v1/approvals/${submitted.approval?.approval_id}`;
      const shown = await at.anna.request('GET', path);
      expect(shown.body).toMatchObject({
        barred: [name, `olga-${name}`],
        evidence: { rule: 'wait', tier: 'tier_2_approval_required', bundle_version: version },
      });
      expect((await olga.request('POST', `${path}/votes`, { vote: 'approve' })).status).toBe(403);
      expect((await at.anna.request('POST', `${path}/votes`, { vote: 'approve' })).status).toBe(200);
      await agent.callUntil(held.call_id, ({ status }) => status === 'succeeded');
    });

    test('dangerous operations need approval in every tenant, and fully destructive ones are denied', async () => {
      await activate(null);
      const [agent] = await fresh();
      const submitted = await effect(agent, 'probe_http_effect', { note: 'DROP/**/TABLE users' });
      expect(submitted.body).toMatchObject({ status: 'pending_approval', decision: { rule: 'builtin.dangerous_operation' } });
      const fatal = await effect(agent, 'probe_http_effect', { note: 'sudo rm -rf --no-preserve-root /' });
      expect(fatal.body).toMatchObject({ status: 'denied', decision: { rule: 'builtin.dangerous_operation' } });
    });
  });
}
