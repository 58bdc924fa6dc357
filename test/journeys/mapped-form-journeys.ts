import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer, Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

export interface Reported extends Envelope {
  mapping_version: number | null;
  mapped_input?: Record<string, unknown>;
  mapping?: { version: number; changes: object[] };
}

interface Published {
  version: number;
  state: string;
  needs_activation: { path: string; message: string }[];
}

/** Publishes mappings, and approves those that wait for a second policy admin. */
export function secondPerson(at: JourneyWorld) {
  const activate = async (mapping: string, version: number): Promise<void> => {
    const paul = await at.admin.keyFor('user', 'paul', ['policy_admin']);
    expect((await paul.request('POST', `${mapping}/activate`, { version })).status).toBe(200);
  };
  const publish = async (by: Api, mapping: string, definition: object): Promise<Answer<Published>> => {
    const published = await by.request<Published>('PUT', mapping, definition);
    expect(published).toMatchObject({ status: 200 });
    if (published.body.state === 'waits_for_activation') await activate(mapping, published.body.version);
    return published;
  };
  return { activate, publish };
}

/** The form that approvers see and rules evaluate is the form that runs. */
export function describeMappedForm(at: JourneyWorld, author: () => Promise<Api>): void {
  const { activate, publish } = secondPerson(at);
  describe('people approve and rules evaluate what runs', () => {
    const MAPPING = '/v1/mappings/delete_file';
    const files = {
      inputs: [{ from: '/path', to: '/path', lookup: 'files' }],
      tables: { files: { 'other.txt': 'imp.txt', 'a.txt': 'b.txt' } },
    };
    const at_file = (name: string) => path.join(at.platform.workspace, name);
    const remove = async (name: string, more: object = {}) =>
      (await at.agent.call({ tool: 'delete_file', inputs: { path: name }, ...more })).body as Reported;
    const rule = async (rules: object[]) => {
      const { status, body } = await at.admin.request<{ version: string }>('POST', '/v1/policies', { rules });
      expect([status, body]).toMatchObject([201, {}]);
      expect((await at.admin.request('PUT', '/v1/policies/active', { version: body.version })).status).toBe(200);
    };
    const noRules = () => at.admin.request('PUT', '/v1/policies/active', { version: null });

    test('a mapping that changes the identifying inputs of a write waits for another policy admin', async () => {
      const by = await author();
      const published = await by.request<Published>('PUT', MAPPING, files);
      expect(published.body).toMatchObject({
        state: 'waits_for_activation',
        needs_activation: [{ path: '/inputs/0', message: expect.stringContaining('lookup') }],
      });
      expect((await remove('not-there.txt')).mapping).toBeUndefined();
      const { version } = published.body;
      expect(await by.request('POST', `${MAPPING}/activate`, { version })).toMatchObject({ status: 403 });
      const tool_author = await at.admin.keyFor('user', 'theo', ['tool_author']);
      expect(await tool_author.request('POST', `${MAPPING}/activate`, { version })).toMatchObject({ status: 403 });
      const other = await by.request('PUT', '/v1/policies/settings', { simulation_required: false, single_policy_admin: true });
      expect([other.status, other.body]).toMatchObject([409, { detail: expect.stringContaining('paul') }]);
      await activate(MAPPING, version);
      const read = await by.request('GET', MAPPING);
      expect(read.body).toMatchObject({ version, state: 'activated', activated_by: { id: 'paul' }, in_force_version: version });
      const moved = await by.request<Published>('PUT', '/v1/mappings/move_file', {
        inputs: [
          { from: '/source', to: '/source' },
          { from: '/destination', to: '/destination' },
        ],
      });
      expect(moved.body).toMatchObject({ state: 'activated', needs_activation: [] });
      const swapped = await by.request<Published>('PUT', '/v1/mappings/move_file', {
        inputs: [
          { from: '/source', to: '/destination' },
          { from: '/destination', to: '/source' },
        ],
      });
      expect(swapped.body).toMatchObject({
        state: 'waits_for_activation',
        needs_activation: [{ path: '/inputs/0' }, { path: '/inputs/1' }],
      });
      expect((await by.request('DELETE', '/v1/mappings/move_file')).status).toBe(204);
    });

    test('an approver sees both forms and the difference, and the approved form runs', async () => {
      writeFileSync(at_file('imp.txt'), 'important');
      const submitted = await remove('other.txt');
      expect(submitted).toMatchObject({
        status: 'pending_approval',
        input: { path: 'other.txt' },
        mapped_input: { path: 'imp.txt' },
        mapping: { changes: [{ op: 'replace', path: '/path', value: 'imp.txt' }] },
      });
      const approval = `/v1/approvals/${submitted.approval?.approval_id}`;
      const shown = await at.anna.request<{ call: object }>('GET', approval);
      expect(shown.body.call).toMatchObject({ input: { path: 'other.txt' }, mapped_input: { path: 'imp.txt' }, mapping: { version: 1 } });
      const by = await author();
      const published = await publish(by, MAPPING, { ...files, tables: { files: { 'other.txt': 'else.txt' } } });
      expect((await at.anna.request('POST', `${approval}/votes`, { vote: 'approve' })).status).toBe(200);
      const ran = (await at.agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded')) as Reported;
      expect(ran).toMatchObject({ mapping_version: 1, mapped_input: { path: 'imp.txt' } });
      expect(existsSync(at_file('imp.txt'))).toBe(false);
      await publish(by, MAPPING, files);
      expect(published.body.version).toBe(2);
    });

    test("a rule on the mapped form fires, and so does one on the agent's form", async () => {
      writeFileSync(at_file('imp.txt'), 'important');
      await rule([{ id: 'no-imp', tools: 'delete_file', when: 'mapped.path.startsWith("imp")', effect: 'deny' }]);
      expect(await remove('other.txt', { occurrence: 'denied' })).toMatchObject({ status: 'denied', decision: { rule: 'no-imp' } });
      const evaluated = await at.admin.request('POST', '/access/v1/evaluation', {
        subject: { type: 'agent', id: 'agent-1' },
        action: { name: 'call' },
        resource: { type: 'tool', id: 'delete_file', properties: { path: 'other.txt' } },
      });
      expect(evaluated.body).toMatchObject({
        decision: false,
        context: { rule: 'no-imp', mapped: { inputs: { path: 'imp.txt' } } },
      });
      await noRules();
      const waiting = await remove('other.txt', { occurrence: 'simulated' });
      const simulated = await at.admin.request('POST', '/v1/policies:simulate', {
        bundle: { rules: [{ id: 'draft', tools: 'delete_file', when: 'mapped.path == "imp.txt"', effect: 'deny' }] },
        call_ids: [waiting.call_id],
      });
      expect(simulated.body).toMatchObject({ calls: 1, counts: { newly_denied: 1 } });
      await rule([{ id: 'no-other', tools: 'delete_file', when: 'inputs.path == "other.txt"', effect: 'deny' }]);
      expect(await remove('other.txt', { occurrence: 'denied again' })).toMatchObject({ decision: { rule: 'no-other' } });
      expect(existsSync(at_file('imp.txt'))).toBe(true);
      await noRules();
    });

    test('an edit is mapped and evaluated again, and its approval binds the newly mapped form', async () => {
      writeFileSync(at_file('b.txt'), 'b');
      const submitted = await remove('other.txt', { occurrence: 'edited' });
      const votes = `/v1/approvals/${submitted.approval?.approval_id}/votes`;
      const unknown = await at.anna.request('POST', votes, { vote: 'edit', inputs: { path: 'nowhere.txt' } });
      expect([unknown.status, unknown.body]).toMatchObject([422, { validation: { layer: 'mapping', issues: [{ path: '/path' }] } }]);
      const edited = await at.anna.request<{ call: object }>('POST', votes, { vote: 'edit', inputs: { path: 'a.txt' } });
      expect([edited.status, edited.body.call]).toMatchObject([200, { input: { path: 'a.txt' }, mapped_input: { path: 'b.txt' } }]);
      const ran = (await at.agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded')) as Reported;
      expect(ran).toMatchObject({ input: { path: 'a.txt' }, mapped_input: { path: 'b.txt' } });
      expect([existsSync(at_file('b.txt')), existsSync(at_file('imp.txt'))]).toEqual([false, true]);
    });

    test('a repeat across a change of the mapping has no second effect, and reports which mapping ran', async () => {
      const by = await author();
      const { body: opened } = await at.agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'mapped' });
      const inputs = { path: 'once.txt', content: 'x', mode: 'create' };
      const write = async () => (await at.agent.call({ tool: 'write_file', inputs, case_id: opened.case_id })).body as Reported;
      const to = (name: string) => ({
        mode: 'permissive',
        inputs: [{ from: '/path', to: '/path', lookup: 't' }],
        tables: { t: { 'once.txt': name } },
      });
      const first = await publish(by, '/v1/mappings/write_file', to('first.txt'));
      expect(await write()).toMatchObject({ status: 'succeeded', mapping_version: first.body.version });
      const second = await publish(by, '/v1/mappings/write_file', to('second.txt'));
      const repeat = await write();
      expect(repeat).toMatchObject({ status: 'succeeded', deduplicated: true, mapping_version: first.body.version });
      expect(repeat.mapping?.version).toBe(second.body.version);
      expect(repeat.warnings).toEqual(
        expect.arrayContaining([expect.stringContaining(`ran with version ${first.body.version} of the mapping`)]),
      );
      expect([existsSync(at_file('first.txt')), existsSync(at_file('second.txt'))]).toEqual([true, false]);
      const numbered = { tool: 'write_file', inputs, context: { run_id: `run-${opened.case_id}`, seq: 1 }, occurrence: 'numbered' };
      await publish(by, '/v1/mappings/write_file', to('numbered.txt'));
      const once = (await at.agent.call(numbered)).body;
      expect(once.status).toBe('succeeded');
      await at.agent.callUntil(once.call_id, ({ status }) => status === 'succeeded');
      await publish(by, '/v1/mappings/write_file', { ...to('x'), tables: { t: { 'nobody.txt': 'x' } } });
      expect((await at.agent.call(numbered)).body).toMatchObject({ call_id: once.call_id, status: 'succeeded' });
      expect((await at.agent.call({ ...numbered, context: { ...numbered.context, seq: 2 } })).status).toBe(422);
      const key = { 'idempotency-key': `mapped-${opened.case_id}` };
      const keyed = (path: string) => at.agent.call({ tool: 'write_file', inputs: { ...inputs, path } }, key);
      await publish(by, '/v1/mappings/write_file', { ...to('same.txt'), tables: { t: { 'k1.txt': 'same.txt', 'k2.txt': 'same.txt' } } });
      expect((await keyed('k1.txt')).body.status).toBe('succeeded');
      expect((await keyed('k2.txt')).status).toBe(422);
      expect((await by.request('DELETE', '/v1/mappings/write_file')).status).toBe(204);
    });

    test("a cap lowers the agent's form, which is mapped and evaluated again; a cap on the mapped form refuses", async () => {
      const by = await author();
      const cents = { mode: 'permissive', inputs: [{ from: '/amount', to: '/amount', value: '$ * 100' }] };
      await publish(by, '/v1/mappings/probe_http_effect', cents);
      const pay = async () => (await at.agent.call({ tool: 'probe_http_effect', inputs: order() })).body as Reported;
      expect(await pay()).toMatchObject({ input: { amount: 7 }, mapped_input: { amount: 700 } });
      const lower = {
        id: 'cap',
        tools: 'probe_http_effect',
        effect: 'allow',
        obligations: [{ cap: { path: '/amount', max: 5, otherwise: 'lower' } }],
      };
      await rule([lower]);
      expect(await pay()).toMatchObject({ status: 'succeeded', input: { amount: 5 }, mapped_input: { amount: 500 } });
      await rule([lower, { ...lower, id: 'cap-mapped', obligations: [{ cap: { path: '/amount', max: 499, form: 'mapped' } }] }]);
      expect(await pay()).toMatchObject({
        status: 'denied',
        decision: { rule: 'cap-mapped' },
        error: { details: { form: 'mapped', max: 499 } },
      });
      await rule([lower, { id: 'over', tools: 'probe_http_effect', when: 'mapped.amount == 500', effect: 'deny' }]);
      expect(await pay()).toMatchObject({ status: 'denied', decision: { rule: 'over' } });
      const lowering = { ...lower, obligations: [{ cap: { path: '/amount', max: 5, form: 'mapped', otherwise: 'lower' } }] };
      const refused = await at.admin.request('POST', '/v1/policies', { rules: [lowering] });
      expect([refused.status, refused.body]).toMatchObject([422, { detail: expect.stringContaining('must have otherwise `refuse`') }]);
      await noRules();
      const limit = {
        kind: 'cumulative',
        scope: 'tenant',
        tools: ['probe_http_effect'],
        amount: 'mapped.amount',
        max: 1000,
        window_ms: 60_000,
      };
      expect((await at.admin.request('PUT', '/v1/limits/mapped-total', limit)).status).toBe(200);
      expect((await pay()).status).toBe('succeeded');
      expect(await pay()).toMatchObject({ status: 'denied', decision: { rule: 'limit.mapped-total' } });
      expect((await at.admin.request('DELETE', '/v1/limits/mapped-total')).status).toBe(204);
      expect((await by.request('DELETE', '/v1/mappings/probe_http_effect')).status).toBe(204);
      expect((await by.request('DELETE', MAPPING)).status).toBe(204);
    });
  });
}
