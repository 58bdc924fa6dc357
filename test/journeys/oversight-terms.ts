import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { ask, ended, people, vote } from './oversight-people.js';

interface Shown {
  status: string;
  evidence: { rule: string; tier: string; bundle_version: string; undo: string; similar: unknown[] };
  reversibility: string;
  call: { input: unknown; inputs_digest: string; contract_digest: string; context: { rationale: string }; decision: { effect: string } };
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** The event types recorded for a call that waited. */
async function eventsOf(at: Awaited<ReturnType<typeof people>>, { call_id }: Envelope): Promise<string[]> {
  const { body } = await at.admin.request<{ items: { type: string }[] }>('GET', `/v1/audit/events?call_id=${call_id}&limit=100`);
  return body.items.map(({ type }) => type);
}

/** The terms of a request: what is shown, who may pass it on, how long a grant is valid, and how it may end. */
export function describeOversightTerms(at: JourneyWorld): void {
  describe('terms of approvals', () => {
    test('approvers see all that they decide on: inputs, digests, contract, decision, given reason, and how to undo it', async () => {
      const { agent, ann } = await people(at);
      const inputs = order();
      const envelope = await ask(agent, inputs, { context: { rationale: 'the customer was charged twice' } });
      const { body } = await ann.request<Shown>('GET', `/v1/approvals/${envelope.approval?.approval_id}`);
      expect(body).toMatchObject({
        status: 'pending',
        reversibility: expect.any(String),
        evidence: { undo: expect.any(String), similar: [] },
      });
      expect(body.evidence).toMatchObject({
        rule: envelope.decision?.rule,
        tier: 'tier_2_approval_required',
        bundle_version: envelope.decision?.bundle_version,
      });
      const { call } = body;
      expect(call).toMatchObject({ input: inputs, context: { rationale: 'the customer was charged twice' } });
      expect([call.inputs_digest, call.contract_digest]).toEqual([
        expect.stringMatching(/^[0-9a-f]{64}$/),
        expect.stringMatching(/^[0-9a-f]{64}$/),
      ]);
      expect(call.decision).toMatchObject({ effect: 'require_approval', decision_id: envelope.decision?.decision_id });
    });

    test('a vote that is passed on belongs to its receiver: the sender can no longer decide, the receiver can', async () => {
      const { agent, ann, clerk } = await people(at);
      const envelope = await ask(agent);
      expect((await vote(clerk, envelope, { vote: 'approve' })).status).toBe(403);
      expect((await vote(ann, envelope, { vote: 'delegate', to: 'clerk' })).status).toBe(200);
      expect((await vote(ann, envelope, { vote: 'approve' })).status).toBe(403);
      expect((await vote(clerk, envelope, { vote: 'approve' })).status).toBe(200);
      expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
    });

    test('requests of one rule about one tool are found together, and decided together', async () => {
      const { agent, ann } = await people(at);
      const [one, two] = await Promise.all([ask(agent), ask(agent)]);
      const other = (await agent.call({ tool: 'delete_file', inputs: { path: 'nothing.txt' } })).body;
      expect(other.status).toBe('pending_approval');
      const like = `/v1/approvals?status=pending&like=${one.approval?.approval_id}`;
      const found = (await ann.request<{ items: { approval_id: string }[] }>('GET', like)).body.items.map(({ approval_id }) => approval_id);
      expect(found.sort()).toEqual([one, two].map(({ approval }) => approval?.approval_id).sort());
      const votes = { approval_ids: found, vote: 'approve' };
      const { body } = await ann.request<{ items: { status: number }[] }>('POST', '/v1/approvals/votes', votes);
      expect(body.items.map(({ status }) => status)).toEqual([200, 200]);
      for (const envelope of [one, two]) expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
      expect((await agent.readCall(other.call_id)).body.status).toBe('pending_approval');
      expect((await ann.request('GET', '/v1/approvals?like=none')).status).toBe(404);
    });

    test("'approve similar' is shown with its expiry, and is void after it", async () => {
      const { agent, ann, admin } = await people(at);
      const inputs = order();
      const first = await ask(agent, inputs);
      const begun = Date.now();
      await vote(ann, first, { vote: 'approve', grant: { scope: 'tool', for_ms: 8000, uses: 2 } });
      await ended(agent, first);
      const listed = async () => (await admin.request<{ items: { status: string; expires_at: string }[] }>('GET', '/v1/grants')).body.items;
      for (let i = 0; i < 60 && (await listed()).length === 0; i++) await pause(20);
      const [grant] = await listed();
      expect(Date.parse(grant?.expires_at as string) - begun).toBeGreaterThan(7500);
      expect(await ended(agent, await ask(agent, inputs, { occurrence: 'again' }))).toMatchObject({ status: 'succeeded', approval: null });
      await pause(Math.max(0, Date.parse(grant?.expires_at as string) - Date.now()) + 50);
      expect((await ask(agent, inputs, { occurrence: 'later' })).status).toBe('pending_approval');
      expect((await listed()).map(({ status }) => status)).toEqual(['expired']);
    });

    test('denied by a person, by expiry, by its caller and by policy are four events of one shape', async () => {
      const of = await people(at);
      const { agent, ann, admin, require } = of;
      await require({ expires_after_ms: 5000 });
      const [denied, expired, cancelled] = await Promise.all([ask(agent), ask(agent), ask(agent)]);
      await vote(ann, denied, { vote: 'deny', reason: 'no' });
      expect((await agent.request('POST', `/v1/calls/${cancelled.call_id}/cancel`)).status).toBeLessThan(300);
      await Promise.all([denied, expired, cancelled].map((envelope) => ended(agent, envelope)));
      await admin.request('PUT', '/v1/policies/tools/probe_approval', { tier: 'tier_3_blocked' });
      const refused = await ask(agent);
      const all = await Promise.all([denied, expired, cancelled, refused].map((envelope) => ended(agent, envelope)));
      expect(all.map(({ status }) => status)).toEqual(['denied', 'expired', 'cancelled', 'denied']);
      const [first, ...others] = all.map((envelope) => [Object.keys(envelope).sort(), Object.keys(envelope.error ?? {}).sort()]);
      for (const other of others) expect(other).toEqual(first);
      expect(all.map(({ output }) => output)).toEqual([null, null, null, null]);
      const ends = ['approval_denied', 'approval_expired', 'call_cancelled', 'policy_decided'];
      for (const [i, envelope] of all.entries()) {
        const types = await eventsOf(of, envelope);
        expect(ends.filter((type) => types.includes(type))).toEqual(i === 3 ? ['policy_decided'] : [ends[i], 'policy_decided']);
        expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
      }
    });
  });
}
