import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventSchemas } from '@countersign/contracts';
import type { Bundle } from '@countersign/evidence';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import type { JourneyWorld } from './journey-world.js';
import { shapesOf, statedEverywhere } from './personal-words.js';
import { Receiver } from './receiver.js';

const run = promisify(execFile);
const CANARY = `Canary${process.pid}Zw`;
const ERASED = 'erased';
const RUN = `run-${process.pid}`;
const PYTHON = path.join(process.cwd(), 'test/conformance/python/verify_bundle.py');
const SCHEMAS = eventSchemas.map(({ schema }) => createHash('sha256').update(schema).digest('hex'));

/** Everything that a store holds at rest, as text or bytes. */
export type AtRest = () => Promise<{ where: string; bytes: Buffer }[]>;

async function bundleOf(auditor: Api, query: string): Promise<Bundle> {
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<Bundle>('GET', `/v1/audit/bundle?${query}`);
    if (status === 200) return body;
  }
  throw new Error('no checkpoint covered the call');
}

/** Personal data from its admission to its erasure, and everything that shows it. */
export function describePersonalJourneys(at: JourneyWorld, atRest: AtRest): void {
  const subject = `${CANARY}-subject`;
  const inputs = (more: Record<string, unknown> = {}) => ({ account: subject, amount: 7, note: `${CANARY} note`, ...more });
  let dir: string;
  let receiver: Receiver;
  let paula: Api;
  let auditor: Api;
  let case_id: string;
  let done: Envelope;
  let report: Envelope;
  let edited: Envelope;
  let before: Bundle;
  /** Routes besides those of calls that show texts. */
  let shown: string[];

  /** With the verifier of this repository, and with one that was written from the public specifications alone. */
  const verify = async (bundle: Bundle): Promise<string> => {
    const file = path.join(dir, 'bundle.json');
    writeFileSync(file, JSON.stringify(bundle));
    const cli = path.join(process.cwd(), 'node_modules/.bin/countersign');
    const [ours, theirs] = await Promise.all([
      run(process.execPath, [cli, 'verify', file, '--vkey', bundle.vkey]).catch((error) => error),
      run('python3', [PYTHON, file, bundle.vkey, ...SCHEMAS]).catch((error) => error),
    ]);
    return `${ours.code ?? 0} ${theirs.code ?? 0} ${ours.stdout}${ours.stderr}${theirs.stderr}`;
  };
  const notAtRest = async (): Promise<void> => {
    const shapes = shapesOf(CANARY);
    for (const { where, bytes } of await atRest()) expect([where, shapes.findIndex((shape) => bytes.includes(shape))]).toEqual([where, -1]);
  };
  const simulated = (by: Api) => {
    const bundle = { rules: [{ id: 'seven', tools: 'probe_http_effect', when: `inputs.account == "${subject}"`, effect: 'deny' }] };
    return by.request<{ counts: object }>('POST', '/v1/policies:simulate', { bundle, call_ids: [done.call_id] });
  };
  const tried = (by: Api) => {
    const definition = { inputs: [{ from: '/account', to: '/who' }], mode: 'permissive' };
    return by.request<{ inputs: { call_id: string }[] }>('POST', '/v1/mappings:try', {
      tool: 'probe_http_effect',
      definition,
      calls_max: 50,
    });
  };
  const text = async (api: Api, url: string): Promise<string> => {
    const answer = await fetch(`${api.base}${url}`, { headers: { authorization: `Bearer ${api.key}` } });
    return answer.text();
  };
  /** Every GET route in the OpenAPI document, for what was created here. */
  const everyRoute = async (): Promise<{ url: string; text: string }[]> => {
    const document = (await at.admin.request<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json')).body;
    const urls = Object.entries(document.paths)
      .filter(([url, methods]) => methods.get && !url.endsWith('/events') && !url.includes('{name}') && !url.includes('/tile/'))
      .flatMap(([url]) =>
        [done, report, edited].map(({ call_id, approval }) =>
          url
            .replace('{call_id}', call_id)
            .replace('{case_id}', case_id)
            .replace('{run_id}', RUN)
            .replace('{approval_id}', approval?.approval_id ?? 'none')
            .replace(/\{(tool|table|rule_id|limit_id|version)\}/, 'probe_http_effect'),
        ),
      );
    const unique = [
      ...new Set([
        ...urls,
        ...shown,
        '/v1/calls?expand=*',
        `/v1/audit/export?format=csv`,
        `/v1/audit/export?format=ndjson`,
        `/v1/audit/events?call_id=${done.call_id}`,
      ]),
    ];
    return Promise.all(unique.map(async (url) => ({ url, text: await text(at.admin, url) })));
  };

  describe('personal data', () => {
    beforeAll(async () => {
      dir = mkdtempSync(path.join(tmpdir(), 'personal-'));
      receiver = await Receiver.start();
      paula = await at.admin.keyFor('user', 'paula', ['policy_admin']);
      auditor = await at.admin.keyFor('user', 'audra', ['auditor']);
      const effects = { tools: ['probe_http_effect', 'probe_approval', 'probe_fail'], subjects: ['/account'] };
      expect((await paula.request('PUT', '/v1/personal-data/customers', effects)).status).toBe(200);
      expect((await paula.request('PUT', '/v1/personal-data/reports', { tools: ['probe_report'], subjects: ['/name'] })).status).toBe(200);
      const none = { title: 'x', subjects: ['who'] };
      const acme = await at.admin.request('POST', '/v1/tenants', { tenant_id: 'plain' });
      expect(acme.status).toBeLessThan(300);
      expect((await (await at.admin.keyFor('agent', 'bot', ['agent'], 'plain')).request('POST', '/v1/cases', none)).status).toBe(400);
      const hook = { url: receiver.url, types: ['approval.*'] };
      expect((await at.admin.request('POST', '/v1/webhooks', hook)).status).toBe(201);
      const limit = {
        kind: 'cumulative',
        scope: 'tenant',
        tools: ['probe_http_effect'],
        amount: 'inputs.amount',
        per: 'inputs.account',
        max: 20,
      };
      expect((await paula.request('PUT', '/v1/limits/per-account', limit)).status).toBe(200);
      // The mapped form of a sealed call is sealed as a whole, and everything below applies to it too.
      const mapping = { mode: 'permissive', inputs: [{ from: '/note', to: '/note' }] };
      expect((await paula.request('PUT', '/v1/mappings/probe_approval', mapping)).body).toMatchObject({ state: 'activated' });
      case_id = (await at.agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body.case_id;
    });
    afterAll(async () => {
      await receiver.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    test('caller, approver and channel can read it; a repeat is recognized; limits count by it', async () => {
      const context = { rationale: `${CANARY} asked for it` };
      done = (await at.agent.call({ tool: 'probe_http_effect', inputs: inputs(), case_id, context })).body;
      expect(done).toMatchObject({ status: 'succeeded', input: inputs() });
      const repeat = (await at.agent.call({ tool: 'probe_http_effect', inputs: inputs(), case_id, context })).body;
      expect(repeat).toMatchObject({ deduplicated: true, output: done.output, input: inputs() });
      const other = { tool: 'probe_http_effect', inputs: inputs({ note: 'other' }), case_id };
      expect((await at.agent.call({ ...other, inputs: inputs({ amount: 50 }) })).body).toMatchObject({ status: 'denied' });
      expect((await at.agent.call({ tool: 'probe_fail', inputs: inputs({ effect: 'none' }), case_id })).body).toMatchObject({
        status: 'failed',
        error: { message: 'failed as asked (effect none)' },
      });
      report = (await at.agent.call({ tool: 'probe_report', inputs: { name: subject, rows: 12_000 }, case_id })).body;
      expect(report).toMatchObject({ status: 'succeeded', truncated: true, cached: false });
      expect(report.attachments).toHaveLength(2);
      for (const { url } of report.attachments) {
        const shown = await at.agent.request('GET', url);
        expect(JSON.stringify(shown.body)).toContain(subject);
        expect([shown.headers.get('cache-control'), shown.headers.get('etag')]).toEqual(['no-store', null]);
      }
      expect((await at.agent.readCall(done.call_id)).headers.get('cache-control')).toBe('no-store');

      const submitted = (await at.agent.call({ tool: 'probe_approval', inputs: inputs(), case_id, context })).body;
      const shown = await at.anna.request<{ call: { input: unknown } }>('GET', `/v1/approvals/${submitted.approval?.approval_id}`);
      expect(shown.body.call).toMatchObject({ input: inputs(), mapped_input: inputs(), mapping: { version: 1 } });
      const vote = { vote: 'edit', inputs: inputs({ note: `${CANARY} edited` }), reason: `${CANARY} said so` };
      const voted = await at.anna.request<{ approval_id: string }>('POST', `/v1/approvals/${submitted.approval?.approval_id}/votes`, vote);
      expect(voted.status).toBe(200);
      edited = await at.agent.callUntil(submitted.call_id, ({ status }) => status === 'succeeded');
      const both = { input: inputs({ note: `${CANARY} edited` }), mapped_input: inputs({ note: `${CANARY} edited` }) };
      expect(edited).toMatchObject(both);
      expect((await receiver.received(1)).map(({ body }) => body).join('')).toContain(`${CANARY} note`);
      const history = await text(at.admin, `/v1/cases/${case_id}/history?limit=100`);
      expect(history).toContain(`${CANARY} asked for it`);
      expect(history).not.toContain('sealed:v1');
      const wrong = await at.agent.call({ tool: 'probe_http_effect', inputs: inputs({ note: 'sealed:v1:AAAA' }) });
      expect(wrong.status).toBe(400);
    });

    test('statements of people about it, and a transcript, belong to the same subjects', async () => {
      shown = await statedEverywhere(at, { words: CANARY, subject, case_id, run_id: RUN, inputs });
      for (const url of shown) {
        const body = await text(at.admin, url);
        expect([url, body.includes(CANARY), body.includes('sealed:v1')]).toEqual([url, true, false]);
      }
    });

    test('a simulation and a test of a mapping can read it, for callers with the role', async () => {
      expect([(await simulated(at.agent)).status, (await tried(at.agent)).status]).toEqual([403, 403]);
      expect((await simulated(paula)).body).toMatchObject({ calls: 1, erased: 0, counts: { newly_denied: 1 } });
      const trial = (await tried(paula)).body;
      expect(trial).toMatchObject({ erased: 0, inputs: expect.arrayContaining([expect.objectContaining({ call_id: done.call_id })]) });
      expect(JSON.stringify(trial)).toContain(`"who":"${subject}"`);
    });

    test('none of it is at rest in clear, and the ciphertext is what is proven', async () => {
      before = await bundleOf(auditor, `case_id=${case_id}`);
      expect(JSON.stringify(before)).not.toContain(CANARY);
      expect(await verify(before)).toMatch(/^0 0 /);
      await notAtRest();
      const routes = (await everyRoute()).filter(({ text }) => text.includes(CANARY)).map(({ url }) => url.split('?')[0]);
      expect(routes).toEqual(
        expect.arrayContaining(['/v1/calls', `/v1/cases/${case_id}/history`, `/v1/approvals/${edited.approval?.approval_id}`]),
      );
    });

    test('erased: every route reports it, a call in flight fails closed, and all proofs remain valid', async () => {
      const waiting = (await at.agent.call({ tool: 'probe_approval', inputs: inputs({ amount: 3 }), case_id })).body;
      expect(waiting.status).toBe('pending_approval');
      const erase = (id: string) =>
        at.admin.request('POST', `/v1/subjects/${encodeURIComponent(id)}/erase`, { reason: 'asked to be forgotten' });
      expect((await at.anna.request('POST', `/v1/subjects/${subject}/erase`, { reason: 'x' })).status).toBe(403);
      const first = await erase(subject);
      expect(first).toMatchObject({ status: 200, body: { status: ERASED } });
      expect((await erase(subject)).body).toEqual(first.body);
      expect(Object.keys((await erase('nobody')).body)).toEqual(Object.keys(first.body));
      for (const { url, text } of await everyRoute())
        expect([url, text.includes(CANARY), text.includes('sealed:v1')]).toEqual([url, false, false]);
      expect((await at.agent.readCall(done.call_id)).body).toMatchObject({ status: 'succeeded', input: ERASED, output: ERASED });
      for (const { url } of report.attachments) expect((await at.agent.request('GET', url)).status).toBe(410);
      expect(await text(at.agent, `/v1/calls/${done.call_id}/events`)).not.toContain(CANARY);
      expect(await text(at.admin, shown[0] as string)).toContain('"title":"erased"');
      expect((await simulated(paula)).body).toMatchObject({ calls: 0, erased: 1, left_out: 1, counts: { newly_denied: 0 } });
      const trial = (await tried(paula)).body;
      expect(trial).toMatchObject({ erased: expect.any(Number) });
      expect([trial.inputs.some(({ call_id }) => call_id === done.call_id), JSON.stringify(trial).includes(CANARY)]).toEqual([
        false,
        false,
      ]);
      const repeat = (await at.agent.call({ tool: 'probe_http_effect', inputs: inputs(), case_id })).body;
      expect(repeat).toMatchObject({ deduplicated: true, output: ERASED });

      await at.anna.request('POST', `/v1/approvals/${waiting.approval?.approval_id}/votes`, { vote: 'approve' });
      const ended = await at.agent.callUntil(waiting.call_id, ({ status }) => status !== 'pending_approval' && status !== 'running');
      expect(ended).toMatchObject({ status: 'failed', error: { details: { reason: 'subject_erased' } } });

      const proof_url = first.body.proof_url as string;
      let proven = await auditor.request('GET', proof_url);
      for (const end = performance.now() + 30_000; proven.status === 503 && performance.now() < end; await sleep(200))
        proven = await auditor.request('GET', proof_url);
      expect(proven).toMatchObject({ status: 200, body: { event_type: 'subject_erased' } });
      expect(await verify(before)).toMatch(/^0 0 /);
      const after = await bundleOf(auditor, `case_id=${case_id}`);
      expect(await verify(after)).toMatch(/^0 0 /);
      expect(after.records.length).toBeGreaterThan(before.records.length);
      await notAtRest();
    });

    test('later data of the same person gets new keys', async () => {
      const again = (await at.agent.call({ tool: 'probe_http_effect', inputs: inputs({ amount: 1, note: 'new' }), case_id })).body;
      expect(again).toMatchObject({ status: 'succeeded', input: inputs({ amount: 1, note: 'new' }) });
      expect((await at.agent.readCall(done.call_id)).body).toMatchObject({ input: ERASED });
    });

    test('retention: no period is shorter than half a year, or than the floor; a dry run destroys nothing', async () => {
      const set = (body: unknown) => paula.request('PUT', '/v1/retention', body);
      expect((await set({ rules: [{ months: 5 }] })).status).toBe(400);
      expect((await set({ floor_months: 12, rules: [{ months: 7 }] })).status).toBe(400);
      expect((await set({ floor_months: 6, rules: [{ months: 6 }, { marking: 'pii', months: 7 }] })).status).toBe(200);
      const ran = await paula.request('POST', '/v1/retention/runs', { dry_run: true });
      expect(ran).toMatchObject({ status: 200, body: { dry_run: true, cutoffs: [] } });
      expect((await at.agent.request('PUT', '/v1/retention', { rules: [] })).status).toBe(403);
    });
  });
}
