import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Counterparty } from '../tools/counterparty/counterparty.js';
import type { Api, Envelope } from './api.js';

/** A running platform, whatever it runs on. */
export interface JourneyPlatform {
  admin(): Api;
  readonly workspace: string;
  close(): Promise<void>;
}

export interface JourneyOptions {
  start(env: Record<string, string>): Promise<JourneyPlatform>;
  /** Keys of the storm of duplicates; each is sent five times at once. */
  storm_keys: number;
}

let serial = 0;
const order = (more: Record<string, unknown> = {}) => ({ account: `acct-${++serial}`, amount: 7, note: 'a duplicate charge', ...more });

/** The journeys of issue 3 through the public face: the same on the embedded log and on the real parts. */
export function describeJourneys(name: string, options: JourneyOptions): void {
  describe(name, () => {
    let platform: JourneyPlatform;
    let counterparty: Counterparty;
    let admin: Api;
    let agent: Api;
    let anna: Api;

    beforeAll(async () => {
      counterparty = await Counterparty.start();
      platform = await options.start({ COUNTERSIGN_PROBE_URL: counterparty.url, COUNTERSIGN_CALLBACK_ALLOW_PRIVATE: 'true' });
      admin = platform.admin();
      agent = await admin.keyFor('agent', 'agent-1', ['agent']);
      anna = await admin.keyFor('user', 'anna', ['approver']);
    }, 120_000);
    afterAll(async () => {
      await platform?.close();
      await counterparty?.stop();
    }, 60_000);

    describe('one call', () => {
      test('a write is executed once, recorded and answered with its envelope; a repeat gets the first result', async () => {
        const inputs = { path: 'hello.txt', content: 'hello', mode: 'create' };
        const first = await agent.call({ tool: 'write_file', inputs, context: { rationale: 'first call' } });
        expect(first.status).toBe(200);
        expect(first.body).toMatchObject({ name: 'write_file', status: 'succeeded', deduplicated: false, error: null });
        expect(first.body.decision).toMatchObject({ effect: 'allow', tier: 'tier_1_auto', approval_mode_effective: 'local_write' });
        expect(readFileSync(path.join(platform.workspace, 'hello.txt'), 'utf8')).toBe('hello');
        writeFileSync(path.join(platform.workspace, 'hello.txt'), 'changed since');
        const again = await agent.call({ tool: 'write_file', inputs });
        expect(again.body).toMatchObject({
          status: 'succeeded',
          deduplicated: true,
          output: first.body.output,
          idempotency_key: first.body.idempotency_key,
        });
        expect(again.body.call_id).not.toBe(first.body.call_id);
        expect(readFileSync(path.join(platform.workspace, 'hello.txt'), 'utf8')).toBe('changed since');
      });

      test('a read after a write sees it, both in the tool and in GET /v1/calls', async () => {
        await agent.call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'one', mode: 'overwrite' } });
        expect((await agent.call({ tool: 'read_file', inputs: { path: 'a.txt' } })).body.output).toMatchObject({ content: 'one' });
        const write = await agent.call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'two', mode: 'overwrite' } });
        const read = await agent.call({ tool: 'read_file', inputs: { path: 'a.txt' } });
        expect(read.body).toMatchObject({ status: 'succeeded', deduplicated: false });
        expect(read.body.output).toMatchObject({ content: 'two' });
        expect((await agent.readCall(write.body.call_id)).body).toEqual(write.body);
      });

      test('occurrence asks for a wanted repeat; the same header key with other inputs is a 422', async () => {
        const inputs = order();
        const first = await agent.call({ tool: 'probe_http_effect', inputs });
        const second = await agent.call({ tool: 'probe_http_effect', inputs, occurrence: '2' });
        expect(first.body.status).toBe('succeeded');
        expect(second.body).toMatchObject({ status: 'succeeded', deduplicated: false });
        const header = { 'idempotency-key': `order-${serial}` };
        const keyed = await agent.call({ tool: 'probe_http_effect', inputs: order() }, header);
        expect(keyed.body.status).toBe('succeeded');
        const misuse = await agent.call({ tool: 'probe_http_effect', inputs: order() }, header);
        expect(misuse.status).toBe(422);
        expect(misuse.body).toMatchObject({ code: 'VALIDATION_ERROR' });
        expect(await counterparty.effectsOf(keyed.body.idempotency_key)).toHaveLength(1);
      });

      test(`${options.storm_keys} keys sent five times at once are as many effects and five times as many equal answers`, async () => {
        const before = (await counterparty.stats()).effects;
        const keys = Array.from({ length: options.storm_keys }, () => order());
        const answers: Envelope[][] = [];
        const workers = Array.from({ length: 40 }, async () => {
          for (let inputs = keys.pop(); inputs; inputs = keys.pop()) {
            const five = await Promise.all(
              Array.from({ length: 5 }, () => agent.call({ tool: 'probe_http_effect', inputs: inputs as Record<string, unknown> })),
            );
            answers.push(five.map((answer) => answer.body));
          }
        });
        await Promise.all(workers);
        const stats = await counterparty.stats();
        expect(stats.duplicates).toEqual([]);
        expect(stats.effects - before).toBe(options.storm_keys);
        expect(answers).toHaveLength(options.storm_keys);
        for (const five of answers) {
          expect(five.map((envelope) => envelope.status)).toEqual(Array(5).fill('succeeded'));
          expect(new Set(five.map((envelope) => JSON.stringify(envelope.output))).size).toBe(1);
          expect(five.filter((envelope) => !envelope.deduplicated)).toHaveLength(1);
          expect(new Set(five.map((envelope) => envelope.call_id)).size).toBe(5);
        }
      }, 240_000);

      test('an answer lost after the effect is reconciled, sent again under its key, or honestly in doubt', async () => {
        const reconciled = await agent.call({ tool: 'probe_http_effect', inputs: order({ lose_answer: true }) });
        expect(reconciled.body.status).toBe('succeeded');
        expect(await counterparty.effectsOf(reconciled.body.idempotency_key)).toHaveLength(1);
        const resent = await agent.call({ tool: 'probe_http_keyed', inputs: order({ lose_answer: true }) });
        expect(await counterparty.effectsOf(resent.body.idempotency_key)).toHaveLength(1);
        const blindInputs = order({ lose_answer: true });
        const blind = await agent.call({ tool: 'probe_http_blind', inputs: blindInputs });
        expect(blind.body).toMatchObject({ status: 'in_doubt', error: { code: 'IN_DOUBT' } });
        const retried = await agent.call({ tool: 'probe_http_blind', inputs: blindInputs });
        expect(retried.body).toMatchObject({ status: 'in_doubt', deduplicated: true });
        expect(await counterparty.effectsOf(blind.body.idempotency_key)).toHaveLength(1);
        const operator = await admin.keyFor('user', 'otto', ['operator']);
        const resolved = await operator.request('POST', `/v1/calls/${blind.body.call_id}/resolve`, {
          resolution: 'happened',
          output: { ok: true, seq: 1, key: 'k', amount: 7 },
          reason: 'seen in the ledger',
        });
        expect(resolved.status).toBeLessThan(300);
        expect((await agent.callUntil(blind.body.call_id, (envelope) => envelope.status !== 'in_doubt')).status).toBe('succeeded');
      }, 60_000);

      test('a failure without effect releases the key; a repeat tries again', async () => {
        const inputs = order({ effect: 'none', code: 'PROVIDER_ERROR' });
        const first = await agent.call({ tool: 'probe_fail', inputs });
        expect(first.body).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_ERROR' } });
        const second = await agent.call({ tool: 'probe_fail', inputs });
        expect(second.body).toMatchObject({ status: 'failed', deduplicated: false });
      });
    });

    describe('approval', () => {
      const waiting = async (note: string) => {
        const answer = await agent.call({ tool: 'probe_approval', inputs: order({ note }) });
        expect(answer.status).toBe(202);
        expect(answer.headers.get('location')).toBe(`/v1/calls/${answer.body.call_id}`);
        expect(answer.body).toMatchObject({
          status: 'pending_approval',
          decision: { effect: 'require_approval', tier: 'tier_2_approval_required' },
        });
        return answer.body;
      };
      const vote = (by: Api, envelope: Envelope, body: Record<string, unknown>) =>
        by.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, body);

      test('the call waits, a person approves, it runs once; a late vote is a 409', async () => {
        const envelope = await waiting('approve me');
        expect(await counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
        const listed = await anna.request<{ items: { approval_id: string }[] }>('GET', '/v1/approvals?status=pending');
        expect(listed.body.items.map((item) => item.approval_id)).toContain(envelope.approval?.approval_id);
        expect((await vote(anna, envelope, { vote: 'approve' })).status).toBeLessThan(300);
        const ended = await agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
        expect(ended.approval).toMatchObject({ status: 'granted' });
        expect(await counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(1);
        expect((await vote(anna, envelope, { vote: 'deny', reason: 'too late' })).status).toBe(409);
      });

      test('a denial is the end, and the next request of the key asks anew', async () => {
        const inputs = order({ note: 'deny me' });
        const first = (await agent.call({ tool: 'probe_approval', inputs })).body;
        expect((await vote(anna, first, { vote: 'deny', reason: 'not this one' })).status).toBeLessThan(300);
        expect(await agent.callUntil(first.call_id, (call) => call.status !== 'pending_approval')).toMatchObject({
          status: 'denied',
          error: { code: 'POLICY_DENIED' },
        });
        const second = (await agent.call({ tool: 'probe_approval', inputs })).body;
        expect(second).toMatchObject({ status: 'pending_approval', deduplicated: false });
        expect(second.approval?.approval_id).not.toBe(first.approval?.approval_id);
        expect(await counterparty.effectsOf(first.idempotency_key)).toHaveLength(0);
      });

      test('who asked cannot approve, an agent cannot vote, a stranger sees nothing', async () => {
        const own = await admin.keyFor('user', 'self-server', ['agent', 'approver']);
        const envelope = (await own.call({ tool: 'probe_approval', inputs: order() })).body;
        const self = await vote(own, envelope, { vote: 'approve' });
        expect([403, 409]).toContain(self.status);
        expect((await vote(agent, envelope, { vote: 'approve' })).status).toBe(403);
        expect((await own.readCall(envelope.call_id)).body.status).toBe('pending_approval');
      });

      test('twenty approvers at once are one grant and one effect', async () => {
        const approvers = await Promise.all(Array.from({ length: 20 }, (_, i) => admin.keyFor('user', `approver-${i}`, ['approver'])));
        const envelope = await waiting('race');
        const votes = await Promise.all(
          approvers.map((by, i) => vote(by, envelope, i % 3 === 2 ? { vote: 'deny', reason: 'no' } : { vote: 'approve' })),
        );
        expect(votes.filter((answer) => answer.status < 300).length).toBeGreaterThanOrEqual(1);
        const ended = await agent.callUntil(envelope.call_id, (call) => ['succeeded', 'denied'].includes(call.status));
        expect(await counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(ended.status === 'succeeded' ? 1 : 0);
      });

      test('a waiting call can be cancelled, and nothing happens after that', async () => {
        const envelope = await waiting('cancel me');
        expect((await agent.request('POST', `/v1/calls/${envelope.call_id}/cancel`, { reason: 'changed my mind' })).status).toBeLessThan(
          300,
        );
        await agent.callUntil(envelope.call_id, (call) => call.status === 'cancelled');
        expect((await vote(anna, envelope, { vote: 'approve' })).status).toBe(409);
        expect(await counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
      });

      test('a file waits for approval to be deleted, and goes to a trash', async () => {
        writeFileSync(path.join(platform.workspace, 'doomed.txt'), 'keep me');
        const envelope = (await agent.call({ tool: 'delete_file', inputs: { path: 'doomed.txt' } })).body;
        expect(envelope.status).toBe('pending_approval');
        expect(existsSync(path.join(platform.workspace, 'doomed.txt'))).toBe(true);
        await vote(anna, envelope, { vote: 'approve' });
        await agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
        expect(existsSync(path.join(platform.workspace, 'doomed.txt'))).toBe(false);
      });
    });

    describe('policy is data', () => {
      test('an override in the table changes the tier at once, down to blocked and back', async () => {
        const policyAdmin = await admin.keyFor('user', 'paula', ['policy_admin']);
        const set = (tier: string) => policyAdmin.request('PUT', '/v1/policies/tools/probe_read', { tier });
        expect((await set('tier_3_blocked')).status).toBeLessThan(300);
        const blocked = await agent.call({ tool: 'probe_read', inputs: {} });
        expect(blocked.body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' }, decision: { tier: 'tier_3_blocked' } });
        expect((await set('tier_1_auto')).status).toBeLessThan(300);
        expect((await agent.call({ tool: 'probe_read', inputs: {} })).body.status).toBe('succeeded');
      });

      test('a read-only run cannot write', async () => {
        const answer = await agent.call({ tool: 'probe_http_effect', inputs: order(), context: { safety_mode: 'read_only' } });
        expect(answer.body).toMatchObject({ status: 'denied', error: { code: 'POLICY_DENIED' } });
      });
    });

    describe('cases, lists, streams', () => {
      test('a case shows its history in causal order and waits while a call of it waits', async () => {
        const opened = await agent.request<{ case_id: string }>('POST', '/v1/cases', { title: 'Refund for Acme' });
        expect(opened.status).toBeLessThan(300);
        const { case_id } = opened.body;
        await agent.call({
          tool: 'probe_http_effect',
          inputs: order(),
          case_id,
          context: { rationale: 'two invoices', skill: 'refunds', step: 'refund', rule: 'r1' },
        });
        const envelope = (await agent.call({ tool: 'probe_approval', inputs: order(), case_id })).body;
        const status = async () => (await agent.request<{ status: string }>('GET', `/v1/cases/${case_id}`)).body.status;
        expect(await status()).toBe('awaiting_approval');
        await anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, { vote: 'approve' });
        await agent.callUntil(envelope.call_id, (call) => call.status === 'succeeded');
        expect(await status()).toBe('open');
        const history = await agent.request<{ items: { type: string; call_id: string; rationale?: string }[] }>(
          'GET',
          `/v1/cases/${case_id}/history?limit=100`,
        );
        const types = history.body.items.map((row) => row.type);
        expect(types.filter((type) => type === 'tool_call_pending')).toHaveLength(2);
        expect(types.filter((type) => type === 'tool_call_complete')).toHaveLength(2);
        expect(types).toContain('tool_call_pending_approval');
        expect(types.indexOf('tool_call_pending')).toBeLessThan(types.indexOf('tool_call_complete'));
        expect(history.body.items[0]).toMatchObject({ rationale: 'two invoices', skill: 'refunds', step: 'refund', rule: 'r1' });
      });

      test('lists page by cursor without gaps or repeats', async () => {
        const run_id = `run-${process.pid}-${++serial}`;
        for (let i = 0; i < 7; i++) await agent.call({ tool: 'probe_read', inputs: {}, context: { run_id } });
        const seen: string[] = [];
        let cursor = '';
        do {
          const page = await agent.request<{ items: Envelope[]; next_cursor: string | null }>(
            'GET',
            `/v1/calls?run_id=${run_id}&limit=3${cursor}`,
          );
          expect(page.status).toBe(200);
          seen.push(...page.body.items.map((item) => item.call_id));
          cursor = page.body.next_cursor ? `&cursor=${encodeURIComponent(page.body.next_cursor)}` : '';
        } while (cursor);
        expect(new Set(seen).size).toBe(7);
        expect(seen).toHaveLength(7);
      });

      test('a batch answers a line a call as each ends; a call whose dependency failed is not sent', async () => {
        const calls = [
          { tool: 'probe_http_effect', inputs: order() },
          { tool: 'probe_fail', inputs: order({ effect: 'none', code: 'PROVIDER_ERROR' }) },
          { tool: 'probe_http_effect', inputs: order(), depends_on: [0] },
          { tool: 'probe_http_effect', inputs: order(), depends_on: [1] },
        ];
        const before = (await counterparty.stats()).effects;
        const answer = await agent.request<string>('POST', '/v1/calls:batch', { calls });
        expect(answer.status).toBe(200);
        const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
        expect(text.trim().split('\n')).toHaveLength(4);
        expect((await counterparty.stats()).effects - before).toBe(2);
      });

      test('events of a call stream until its end', async () => {
        const envelope = (await agent.call({ tool: 'probe_approval', inputs: order() })).body;
        const stream = await fetch(`${agent.base}/v1/calls/${envelope.call_id}/events`, {
          headers: { authorization: `Bearer ${agent.key}`, accept: 'text/event-stream' },
        });
        expect(stream.headers.get('content-type')).toContain('text/event-stream');
        await anna.request('POST', `/v1/approvals/${envelope.approval?.approval_id}/votes`, { vote: 'approve' });
        const text = await stream.text();
        expect(text).toContain('pending_approval');
        expect(text).toContain('succeeded');
        expect(text).toMatch(/^id: /m);
      });
    });

    describe('tenants', () => {
      test("another tenant's ids are the same 404 as ids that do not exist, and its lists are empty", async () => {
        await admin.request('POST', '/v1/tenants', { tenant_id: 'globex' });
        const stranger = await admin.keyFor('agent', 'spy', ['agent', 'approver', 'operator'], 'globex');
        const mine = (await agent.call({ tool: 'probe_approval', inputs: order() })).body;
        const absent = `${mine.call_id.slice(0, -12)}000000000000`;
        const probes = ['', '/events'].map((tail) => (id: string) => stranger.request('GET', `/v1/calls/${id}${tail}`));
        const votes = (id: string) => stranger.request('POST', `/v1/approvals/${id}/votes`, { vote: 'approve' });
        for (const probe of probes) {
          const [foreign, missing] = [await probe(mine.call_id), await probe(absent)];
          expect(foreign.status).toBe(404);
          const strip = (body: unknown) => JSON.stringify(body).replaceAll(mine.call_id, 'ID').replaceAll(absent, 'ID');
          expect(strip(foreign.body)).toBe(strip(missing.body));
        }
        expect((await votes(mine.approval?.approval_id as string)).status).toBe(404);
        expect((await stranger.request('POST', `/v1/calls/${mine.call_id}/cancel`, {})).status).toBe(404);
        expect((await stranger.request<{ items: unknown[] }>('GET', '/v1/calls')).body.items).toEqual([]);
        expect((await stranger.request<{ items: unknown[] }>('GET', '/v1/approvals')).body.items).toEqual([]);
      });
    });

    describe('bad input gets a problem document and never a 5xx', () => {
      const good = () => ({ tool: 'probe_http_effect', inputs: order() });
      const cases: [string, (api: Api) => Promise<{ status: number; body: unknown; headers: Headers }>, number[]][] = [
        ['malformed JSON', (api) => api.request('POST', '/v1/calls', '{"tool":'), [400]],
        ['a wrong content type', (api) => api.request('POST', '/v1/calls', 'tool=x', { 'content-type': 'text/plain' }), [415]],
        [
          'a body of 10 MB',
          (api) => api.request('POST', '/v1/calls', JSON.stringify({ ...good(), inputs: { note: 'x'.repeat(10_000_000) } })),
          [413],
        ],
        ['an unknown tool', (api) => api.request('POST', '/v1/calls', { ...good(), tool: 'no_such_tool' }), [404]],
        [
          'wrong types',
          (api) => api.request('POST', '/v1/calls', { tool: 'probe_http_effect', inputs: order({ amount: 'seven' }) }),
          [400, 422],
        ],
        [
          'unknown input fields',
          (api) => api.request('POST', '/v1/calls', { tool: 'probe_http_effect', inputs: order({ surprise: 1 }) }),
          [400, 422],
        ],
        ['unknown body fields', (api) => api.request('POST', '/v1/calls', { ...good(), surprise: 1 }), [400, 422]],
        ['no token', (api) => api.as('').request('POST', '/v1/calls', good()), [401]],
        ['a wrong token', (api) => api.as('cs_wrong').request('POST', '/v1/calls', good()), [401]],
        [
          'a role that may not',
          (api) => api.request('POST', '/v1/keys', { tenant_id: 'default', principal: { kind: 'agent', id: 'x', roles: ['admin'] } }),
          [403],
        ],
        ['a deadline in the past', (api) => api.request('POST', '/v1/calls', { ...good(), deadline: '2001-01-01T00:00:00Z' }), [400, 422]],
        [
          'inputs 10,000 levels deep',
          (api) =>
            api.request('POST', '/v1/calls', `{"tool":"probe_http_effect","inputs":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`),
          [400, 413, 422],
        ],
        ['a call id that is none', (api) => api.request('GET', `/v1/calls/${encodeURIComponent("1' or 1=1")}`), [404]],
        ['an unknown route', (api) => api.request('GET', '/v1/nothing'), [404]],
      ];
      test.each(cases)('%s', async (_, send, statuses) => {
        const answer = await send(agent);
        expect(statuses).toContain(answer.status);
        expect(answer.headers.get('content-type')).toContain('application/problem+json');
        expect(answer.body).toMatchObject({ status: answer.status, code: expect.any(String), title: expect.any(String) });
      });

      test('validation errors carry JSON Pointers relative to inputs', async () => {
        const answer = await agent.request('POST', '/v1/calls', { tool: 'probe_http_effect', inputs: order({ amount: 'seven' }) });
        expect(JSON.stringify(answer.body)).toContain('"/amount"');
      });

      test('a path that leaves the workspace is refused and changes nothing', async () => {
        mkdirSync(path.join(platform.workspace, 'sub'), { recursive: true });
        if (!existsSync(path.join(platform.workspace, 'out'))) symlinkSync('/tmp', path.join(platform.workspace, 'out'));
        for (const outside of ['../escape.txt', 'sub/../../escape.txt', 'out/escape.txt', '/etc/escape.txt']) {
          const answer = await agent.call({ tool: 'write_file', inputs: { path: outside, content: 'x', mode: 'create' } });
          expect(answer.body.status ?? 'refused').not.toBe('succeeded');
        }
        expect(existsSync('/tmp/escape.txt')).toBe(false);
      });
    });

    test('liveness, readiness and metrics answer without a key and name no secret', async () => {
      for (const route of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
        expect((await fetch(`${agent.base}${route}`)).status).toBe(200);
      expect(await (await fetch(`${agent.base}/metrics`)).text()).not.toContain(agent.key);
    });
  });
}
