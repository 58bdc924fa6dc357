import { afterAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { decisionOf, policyActions, WAIT } from './policy-actions.js';

/** Conditions on `history`: they see earlier results, and an unknown history allows nothing. */
export function describeHistoryJourneys(at: JourneyWorld): void {
  describe('history in conditions', () => {
    const { fresh, publish, activate, ruled } = policyActions(at);
    afterAll(() => activate(null));

    const openCase = async (by: Api) => (await by.request<{ case_id: string }>('POST', '/v1/cases', {})).body.case_id;
    const effect = (by: Api, more: Record<string, unknown>) => by.call({ tool: 'probe_http_effect', inputs: order(), ...more }, WAIT);
    const read = (by: Api, more: Record<string, unknown> = {}) => by.call({ tool: 'probe_read', inputs: {}, ...more }, WAIT);

    test('a tool is allowed once another succeeded in the case, and the decision records the history that it used', async () => {
      const [agent, name] = await fresh();
      const when = `principal.id == "${name}" && history.case.tools['probe_read'].succeeded == 0`;
      await ruled([{ id: 'look-first', tools: 'probe_http_effect', when, effect: 'deny' }]);
      const [case_id, other] = [await openCase(agent), await openCase(agent)];
      const early = await effect(agent, { case_id });
      expect(early.body).toMatchObject({ status: 'denied', decision: { rule: 'look-first' } });
      expect((await read(agent, { case_id })).body.status).toBe('succeeded');
      const late = await effect(agent, { case_id });
      expect(late.body.status).toBe('succeeded');
      expect(decisionOf(late)).toMatchObject({
        history: { case: { calls: 2, denied: 1, succeeded: 1, tools: { probe_read: { calls: 1, succeeded: 1 } } } },
      });
      expect((await effect(agent, { case_id: other })).body.status).toBe('denied');
      const without = await effect(agent, {});
      expect(without.body).toMatchObject({ status: 'denied', decision: { rule: 'look-first' } });
      expect(decisionOf(without)).toMatchObject({ rule_errors: [{ rule: 'look-first' }] });
    });

    test('a rule that allows by history allows nothing without a history', async () => {
      const [agent, name] = await fresh();
      const when = `principal.id == "${name}" && history.case.tools['probe_approval'].succeeded < 1`;
      await ruled([{ id: 'first-is-free', tools: 'probe_approval', when, effect: 'allow' }]);
      const case_id = await openCase(agent);
      const ask = (more: Record<string, unknown>) => agent.call({ tool: 'probe_approval', inputs: order(), ...more }, WAIT);
      expect((await ask({ case_id })).body.status).toBe('succeeded');
      expect((await ask({ case_id })).body.status).toBe('pending_approval');
      expect((await ask({})).body.status).toBe('pending_approval');
    });

    test('the calls of a run, and an agent that was denied too often or is new to a tool', async () => {
      const [agent, name] = await fresh();
      const mine = `principal.id == "${name}"`;
      await ruled([
        { id: 'three-a-run', tools: 'probe_read', when: `${mine} && context.run_id != null && history.run.calls >= 3`, effect: 'deny' },
        { id: 'misbehaved', tools: 'list_directory', when: `${mine} && history.agent.last_1h.denied >= 2`, effect: 'deny' },
        { id: 'new-to-it', tools: 'probe_http_effect', when: `${mine} && history.first_use_of_tool`, effect: 'require_approval' },
      ]);
      const context = { run_id: `run-${name}` };
      const statuses = [];
      for (let i = 0; i < 5; i++) statuses.push((await read(agent, { context })).body.status);
      expect(statuses).toEqual(['succeeded', 'succeeded', 'succeeded', 'denied', 'denied']);
      expect((await agent.call({ tool: 'list_directory', inputs: { path: '.' } }, WAIT)).body).toMatchObject({
        decision: { rule: 'misbehaved' },
      });
      const first = (await effect(agent, {})).body;
      expect(first.status).toBe('pending_approval');
      await at.anna.request('POST', `/v1/approvals/${first.approval?.approval_id}/votes`, { vote: 'approve' });
      expect(await agent.callUntil(first.call_id, ({ status }) => status !== 'pending_approval' && status !== 'running')).toMatchObject({
        status: 'succeeded',
      });
      expect((await effect(agent, {})).body.status).toBe('succeeded');
    });

    test('an authorization query without a call, and a simulation of recorded calls, see the same history', async () => {
      const [agent, name] = await fresh();
      await activate(null);
      const case_id = await openCase(agent);
      const calls = [await read(agent, { case_id }), await read(agent, { case_id }), await read(agent, { case_id })];
      const rules = [
        { id: 'two-a-case', tools: 'probe_read', when: `principal.id == "${name}" && history.case.succeeded >= 2`, effect: 'deny' },
      ];
      const simulated = await at.admin.request('POST', '/v1/policies:simulate', { bundle: { rules }, case_id });
      expect(simulated.body).toMatchObject({
        calls: 3,
        unchanged: 2,
        differences: [{ call_id: calls[2]?.body.call_id, difference: 'newly_denied', after: { rule: 'two-a-case' } }],
      });
      await activate(await publish(rules));
      const resolved = await agent.request('POST', '/v1/policies/tools/probe_read/resolve', { inputs: {}, case_id });
      expect(resolved.body).toMatchObject({ effect: 'deny', rule: 'two-a-case' });
    });

    test('a condition on an unknown history field is refused when it is published', async () => {
      const rules = [{ id: 'typo', effect: 'deny', when: 'history.case.succeded > 1' }];
      const refused = await at.admin.request<{ validation: { issues: object[] } }>('POST', '/v1/policies', { rules });
      expect(refused).toMatchObject({
        status: 422,
        body: { validation: { issues: [{ rule: 'typo', reason: expect.stringContaining('succeded') }] } },
      });
    });
  });
}
