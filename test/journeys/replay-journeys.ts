import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ReplayBundle } from '@countersign/decisions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';

const execute = promisify(execFile);
const WAIT = { prefer: 'wait=20' };
const SECRET = 'hunter2-hunter2-hunter2';

/** A run with its transcript, exported and decided again by `countersign replay`. */
export function describeReplayJourneys(at: JourneyWorld): void {
  describe('replay bundles', () => {
    const run_id = `run-replayed-${process.pid}`;
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-replay-'));
    let agent: Api;
    let auditor: Api;

    const exported = async (): Promise<string> => {
      const answer = await auditor.request<ReplayBundle>('GET', `/v1/runs/${run_id}/replay-bundle`);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.status).toBe(200);
      return JSON.stringify(answer.body);
    };
    const replayed = async (text: string): Promise<{ code: number; output: string }> => {
      const file = path.join(dir, 'bundle.json');
      writeFileSync(file, text);
      const cli = path.join(process.cwd(), 'node_modules/.bin/countersign');
      const ran = await execute(process.execPath, [cli, 'replay', file]).catch((error) => error);
      return { code: ran.code ?? 0, output: `${ran.stdout}${ran.stderr}` };
    };

    beforeAll(async () => {
      agent = await at.admin.keyFor('agent', `replayed-${process.pid}`, ['agent']);
      auditor = await at.admin.keyFor('user', `auditor-replay-${process.pid}`, ['auditor']);
      const context = { run_id };
      await at.admin.request('PUT', '/v1/secrets/workspace/replay_secret', { value: SECRET });
      const small = await agent.call({ tool: 'probe_http_effect', inputs: order(), context }, WAIT);
      expect(small.body.status).toBe('succeeded');
      const submitted = await agent.call({ tool: 'probe_approval', inputs: order(), context }, WAIT);
      const vote = await at.anna.request('POST', `/v1/approvals/${submitted.body.approval?.approval_id}/votes`, { vote: 'approve' });
      expect(vote.status).toBeLessThan(300);
      await agent.callUntil(submitted.body.call_id, ({ status }) => status === 'succeeded');
      await agent.call({ tool: 'probe_read', inputs: {}, context: { ...context, iteration: 99 } }, WAIT);
    });
    afterAll(() => rmSync(dir, { recursive: true, force: true }));

    test('a transcript is stored with its digest, and secrets in it are masked', async () => {
      const messages = [
        { role: 'user', content: 'refund the duplicate' },
        { role: 'assistant', content: `the password is ${SECRET}`, tool_calls: [{ name: 'probe_http_effect' }] },
      ];
      const kept = await agent.request<{ digest: string; messages: number }>('PUT', `/v1/runs/${run_id}/transcript`, {
        prompt: 'You are careful.',
        messages,
      });
      expect(kept).toMatchObject({ status: 200, body: { messages: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) } });
      const text = await exported();
      expect(text).not.toContain(SECRET);
      expect(JSON.parse(text).transcript).toMatchObject({
        content: { prompt: 'You are careful.', messages: [{ role: 'user' }, { content: 'the password is [secret]' }] },
      });
      expect((await agent.request('PUT', `/v1/runs/${run_id}/transcript`, { prompt: 1, messages: [] })).status).toBe(400);
      expect((await auditor.request('PUT', `/v1/runs/${run_id}/transcript`, { prompt: '', messages: [] })).status).toBe(403);
    });

    test('a bundle has nothing of another tenant', async () => {
      const tenant_id = `other-${process.pid}`;
      expect((await at.admin.request('POST', '/v1/tenants', { tenant_id })).status).toBeLessThan(300);
      const root = await at.admin.keyFor('user', `others-root-${process.pid}`, ['admin', 'policy_admin', 'operator'], tenant_id);
      const rule = { tier: 'tier_2_approval_required' };
      expect(await root.request('PUT', '/v1/policies/tools/read_file', rule)).toMatchObject({ status: 200 });
      const late = await agent.call({ tool: 'probe_read', inputs: {}, context: { run_id } }, WAIT);
      await agent.callUntil(late.body.call_id, ({ status }) => status === 'succeeded');
      const { configuration } = JSON.parse(await exported()) as ReplayBundle;
      const ofOthers = configuration.filter(({ event }) => event.meta.tenant_id === tenant_id);
      expect(ofOthers.map(({ event_type }) => event_type)).toEqual([]);
      expect(configuration.some(({ event_type }) => event_type === 'tool_registered')).toBe(true);
    });

    test('two exports give the same bytes, and replay byte for byte', async () => {
      const [one, other] = [await exported(), await exported()];
      expect(one).toBe(other);
      const bundle = JSON.parse(one) as ReplayBundle;
      expect(bundle.tools.map(({ name }) => name)).toEqual(['probe_approval', 'probe_http_effect', 'probe_read']);
      expect(bundle.calls.map(({ decided }) => decided.status).sort()).toEqual(['denied', 'succeeded', 'succeeded', 'succeeded']);
      const { code, output } = await replayed(one);
      expect(output).toContain('replayed: 4 calls');
      expect(output).toContain('every decision and envelope is identical');
      expect(output).toContain('not shown by the bundle: the records themselves');
      expect(code).toBe(0);
      for (const { call_id, envelope } of bundle.calls) {
        // Whether the effect is still in place is read for each answer; no record has it.
        const { effect_now: _, superseded_by: __, ...recorded } = envelope as Record<string, unknown>;
        expect((await agent.request('GET', `/v1/calls/${call_id}`)).body).toMatchObject(recorded);
      }
    });

    test('calls of others that share a limit are sums in a bundle, not records', async () => {
      const limit_id = `replayed-${process.pid}`;
      const shared = { kind: 'rate', scope: 'tenant', max: 100_000, window_ms: 3_600_000 };
      expect((await at.admin.request('PUT', `/v1/limits/${limit_id}`, shared)).status).toBe(200);
      const other = await at.admin.keyFor('agent', `other-replayed-${process.pid}`, ['agent']);
      const run = `run-shared-${process.pid}`;
      for (const [who, of] of [
        [other, null],
        [agent, run],
        [other, null],
        [agent, run],
      ] as const) {
        const made = await who.call({ tool: 'probe_http_effect', inputs: order(), ...(of ? { context: { run_id: of } } : {}) }, WAIT);
        expect(made.body.status).toBe('succeeded');
      }
      const { body } = await auditor.request<ReplayBundle>('GET', `/v1/runs/${run}/replay-bundle`);
      expect(new Set(body.records.map(({ event }) => event.meta.call_id)).size).toBe(2);
      expect(body.counted_elsewhere.calls).toBeGreaterThanOrEqual(2);
      const { code, output } = await replayed(JSON.stringify(body));
      expect([code, output]).toEqual([0, expect.stringContaining('other calls that share limits')]);
      expect((await at.admin.request('DELETE', `/v1/limits/${limit_id}`)).status).toBeLessThan(300);
    });

    test('a bundle that contradicts its records is detected, with the position', async () => {
      const bundle = JSON.parse(await exported()) as ReplayBundle;
      const ruling = bundle.calls[0]?.decided.ruling as { effect: string };
      ruling.effect = ruling.effect === 'deny' ? 'allow' : 'deny';
      const edited = await replayed(JSON.stringify(bundle));
      expect(edited).toMatchObject({ code: 1, output: expect.stringContaining('/calls/0/decided/ruling/effect') });
      const other = JSON.parse(await exported()) as ReplayBundle;
      Object.assign(other.calls[1]?.envelope as object, { status: 'failed', output: { refunded: 1 } });
      const shown = await replayed(JSON.stringify(other));
      expect(shown).toMatchObject({ code: 1, output: expect.stringContaining('/calls/1/envelope/status') });
      expect(shown.output).toContain('/calls/1/envelope/output');
      const records = JSON.parse(await exported()) as ReplayBundle;
      records.records = records.records.filter(({ event_type }) => event_type !== 'approval_voted');
      expect(await replayed(JSON.stringify(records))).toMatchObject({ code: 1, output: expect.stringContaining('/decided/approval_end') });
      expect(await replayed('{"format":"another"}')).toMatchObject({ code: 1, output: expect.stringContaining('countersign-replay/1') });
    });

    test('personal data is opened for callers who may decide again; erased data is unknown and the rest still replays', async () => {
      const run = `run-personal-${process.pid}`;
      const subject = `subject-${process.pid}`;
      await at.admin.request('PUT', '/v1/personal-data/replayed', { tools: ['probe_http_keyed'], subjects: ['/account'] });
      const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
      const made = await agent.call(
        { tool: 'probe_http_keyed', inputs: order({ account: subject }), case_id, context: { run_id: run } },
        WAIT,
      );
      expect(made.body.status).toBe('succeeded');
      await agent.call({ tool: 'probe_read', inputs: {}, case_id, context: { run_id: run } }, WAIT);
      const submitted = () =>
        auditor.request<{ unchanged: number; comparisons: object[] }>('POST', `/v1/cases/${case_id}/counterfactual`, { changes: [] });
      const bundle = async () => JSON.stringify((await auditor.request('GET', `/v1/runs/${run}/replay-bundle`)).body);
      expect((await submitted()).body).toMatchObject({ calls: 2, unchanged: 2, unknown: 0 });
      expect(await bundle()).not.toContain('sealed:v1');
      expect(await replayed(await bundle())).toMatchObject({ code: 0, output: expect.stringContaining('2 calls') });
      expect((await at.admin.request('POST', `/v1/subjects/${subject}/erase`, { reason: 'asked' })).status).toBe(200);
      const after = await submitted();
      expect(after.body).toMatchObject({ calls: 2, unchanged: 1, unknown: 1 });
      expect(JSON.stringify(after.body)).toContain('its inputs are erased');
      const erased = await bundle();
      expect(erased.includes(subject) || erased.includes('sealed:v1')).toBe(false);
      expect(await replayed(erased)).toMatchObject({ code: 0, output: expect.stringContaining('not replayed, its inputs are erased') });
    });

    test('an unknown run has no bundle; agents get none', async () => {
      expect((await auditor.request('GET', '/v1/runs/no-such-run/replay-bundle')).status).toBe(404);
      expect((await agent.request('GET', `/v1/runs/${run_id}/replay-bundle`)).status).toBe(403);
    });
  });
}
