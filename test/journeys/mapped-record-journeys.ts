import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ReplayBundle } from '@countersign/decisions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { type Reported, secondPerson } from './mapped-form-journeys.js';
import { Receiver } from './receiver.js';

const execute = promisify(execFile);

interface Line {
  type: string;
  call_id: string;
  inputs?: object;
  mapped_input?: object;
  mapping?: { version: number };
}

/** Later reads of a call under a mapping: its case's history, its notices, and the replay of its run. */
export function describeMappedRecord(at: JourneyWorld, author: () => Promise<Api>): void {
  const { publish } = secondPerson(at);
  describe('the record of a call under a mapping', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-mapped-'));
    const mappings = ['probe_http_effect', 'probe_approval'].map((tool) => `/v1/mappings/${tool}`);
    const versions: number[] = [];
    const run_id = `run-mapped-${process.pid}`;
    const form = { inputs: { amount: 7 }, mapped_input: { amount: 700 } };
    let auditor: Api;
    let receiver: Receiver;
    let case_id: string;
    let webhook_id: string;

    beforeAll(async () => {
      auditor = await at.admin.keyFor('user', `auditor-mapped-${process.pid}`, ['auditor']);
      const cents = { mode: 'permissive', inputs: [{ from: '/amount', to: '/amount', value: '$ * 100' }] };
      for (const mapping of mappings) versions.push((await publish(await author(), mapping, cents)).body.version);
      case_id = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body.case_id;
      receiver = await Receiver.start();
      const made = await at.admin.request<{ webhook_id: string }>('POST', '/v1/webhooks', { url: receiver.url, types: ['approval.*'] });
      webhook_id = made.body.webhook_id;
    });
    afterAll(async () => {
      for (const mapping of mappings) await (await author()).request('DELETE', mapping);
      await at.admin.request('DELETE', `/v1/webhooks/${webhook_id}`);
      await receiver.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    const call = async (tool: string): Promise<Reported> =>
      (await at.agent.call({ tool, inputs: order(), case_id, context: { run_id } }, { prefer: 'wait=10' })).body as Reported;
    const exported = async () => (await auditor.request<ReplayBundle>('GET', `/v1/runs/${run_id}/replay-bundle`)).body;
    const replayed = async (bundle: ReplayBundle): Promise<{ code: number; output: string }> => {
      const file = path.join(dir, 'bundle.json');
      writeFileSync(file, JSON.stringify(bundle));
      const cli = path.join(process.cwd(), 'node_modules/.bin/countersign');
      const ran = await execute(process.execPath, [cli, 'replay', file]).catch((failed) => failed);
      return { code: ran.code ?? 0, output: `${ran.stdout}${ran.stderr}` };
    };

    test('history lines and notices show both forms', async () => {
      const submitted = await call('probe_approval');
      expect(submitted).toMatchObject({ status: 'pending_approval', input: form.inputs, mapped_input: form.mapped_input });
      const messages = (await receiver.received(1)).map(({ body }) => JSON.parse(body) as { type: string; data: object });
      expect(messages[0]).toMatchObject({ type: 'approval.requested', data: { inputs: { amount: 7 }, mapped_inputs: { amount: 700 } } });
      await at.anna.request('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, { vote: 'approve' });
      await at.agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded');
      const { body } = await auditor.request<{ items: Line[] }>('GET', `/v1/cases/${case_id}/history?limit=100`);
      const line = (type: string) => body.items.find((one) => one.call_id === submitted.call_id && one.type === type);
      const mapping = { version: versions[1], changes: [{ op: 'replace', path: '/amount', value: 700 }] };
      expect(line('tool_call_pending')).toMatchObject({ ...form, mapping });
      expect(line('tool_call_pending_approval')).toMatchObject({ approval: { approval_id: submitted.approval?.approval_id } });
      expect(line('tool_call_complete')).toMatchObject({ ...form, mapping });
    });

    test('a replay has the form that ran, and decides with it again', async () => {
      const ran = await call('probe_http_effect');
      expect(ran.status).toBe('succeeded');
      const bundle = await exported();
      const kept = bundle.calls.find(({ call_id }) => call_id === ran.call_id);
      expect(kept?.envelope).toMatchObject({ input: { amount: 7 }, mapped_input: { amount: 700 }, mapping_version: versions[0] });
      const requested = bundle.records.filter(({ event_type }) => event_type === 'tool_call_requested').map(({ event }) => event);
      expect(requested).toContainEqual(
        expect.objectContaining({ call: expect.objectContaining({ mapped: expect.objectContaining({ mapping_version: versions[0] }) }) }),
      );
      expect(await replayed(bundle)).toMatchObject({ code: 0, output: expect.stringContaining('replayed: 2 calls') });
    });

    test('a replay decides again over inputs that a cap lowered and the mapping mapped again', async () => {
      const cap = { path: '/amount', max: 5, otherwise: 'lower' };
      const rules = [
        { id: 'cap', tools: 'probe_http_effect', effect: 'allow', obligations: [{ cap }] },
        { id: 'over', tools: 'probe_http_effect', when: 'mapped.amount == 500', effect: 'deny' },
      ];
      const { body } = await at.admin.request<{ version: string }>('POST', '/v1/policies', { rules });
      await at.admin.request('PUT', '/v1/policies/active', { version: body.version });
      const ended = await call('probe_http_effect');
      await at.admin.request('PUT', '/v1/policies/active', { version: null });
      expect(ended).toMatchObject({ status: 'denied', decision: { rule: 'over' } });
      expect(await replayed(await exported())).toMatchObject({ code: 0, output: expect.stringContaining('replayed: 3 calls') });
    });
  });
}
