import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { ask, ended, people, vote } from './oversight-people.js';
import { Receiver } from './receiver.js';

interface SlackBlock {
  text?: { text: string };
  elements?: { url: string }[];
}

interface ApprovalBody {
  approval_id: string;
  status: string;
  edit: { approval_id: string; diff: unknown } | null;
  call: { input: Record<string, unknown> };
  evidence: { undo: string; similar: { call_id: string; status: string; same_inputs: boolean }[] };
  requirement?: unknown;
  barred: string[];
  problem?: unknown;
}

/** Who decides, how, and the messages that they receive. */
export function describeOversightJourneys(at: JourneyWorld): void {
  describe('oversight', () => {
    test('two of the named people decide, and neither the owner of the agent nor another person is accepted', async () => {
      const { admin, key, require, ann, clerk, tenant_id } = await people(at);
      const owner = await key('user', 'owner', ['approver']);
      expect((await require({ people: ['bob'], quorum: 2 })).status).toBe(400);
      expect(await require({ people: ['clerk', 'nobody'] })).toMatchObject({
        status: 422,
        body: { validation: { issues: [{ path: '/requirement/people/1' }] } },
      });
      expect((await require({ people: ['clerk', 'ann', 'owner'], quorum: 2 })).status).toBe(200);
      const owned = { tenant_id, principal: { kind: 'agent', id: 'owned', roles: ['agent'] }, owner: 'owner' };
      const agent = at.admin.as((await admin.request<{ key: string }>('POST', '/v1/keys', owned)).body.key);
      const bob = await key('user', 'bob', ['approver']);
      const envelope = await ask(agent);
      expect([(await vote(owner, envelope, { vote: 'approve' })).status, (await vote(bob, envelope, { vote: 'approve' })).status]).toEqual([
        403, 403,
      ]);
      expect((await vote(clerk, envelope, { vote: 'approve' })).body.status).toBe('pending');
      expect((await vote(clerk, envelope, { vote: 'approve' })).status).toBe(409);
      expect((await vote(ann, envelope, { vote: 'approve' })).status).toBe(200);
      expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
      expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(1);
    });

    test('out of office: the delegate votes, but not after the delegation ended', async () => {
      const { agent, ann, clerk } = await people(at);
      const until = new Date(Date.now() + 3_600_000).toISOString();
      const delegated = await ann.request<{ delegation_id: string }>('POST', '/v1/vote-delegations', { to: 'clerk', until });
      expect(delegated.status).toBe(201);
      const first = await ask(agent);
      expect((await vote(clerk, first, { vote: 'approve' })).status).toBe(200);
      expect(await ended(agent, first)).toMatchObject({ status: 'succeeded' });
      expect((await ann.request('DELETE', `/v1/vote-delegations/${delegated.body.delegation_id}`)).status).toBe(204);
      expect((await vote(clerk, await ask(agent), { vote: 'approve' })).status).toBe(403);
    });

    test('an undecided request escalates to the next group, and only that group decides then', async () => {
      const { agent, ann, require, key } = await people(at);
      const escalate_to = [{ approver_roles: ['operator'], expires_after_ms: 60_000 }];
      await require({ expires_after_ms: 1000, on_expiry: 'escalate', escalate_to });
      const boss = await key('user', 'boss', ['operator']);
      const envelope = await ask(agent);
      const path = `/v1/approvals/${envelope.approval?.approval_id}`;
      for (let i = 0; i < 100 && (await boss.request<{ level: number }>('GET', path)).body.level !== 1; i++)
        await new Promise((done) => setTimeout(done, 100));
      expect((await vote(ann, envelope, { vote: 'approve' })).status).toBe(403);
      expect((await vote(boss, envelope, { vote: 'approve' })).status).toBe(200);
      expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
    });

    test('edited inputs are evaluated, bound and run; both keys return the result from then on', async () => {
      const { agent, ann } = await people(at);
      const inputs = order({ amount: 700 });
      const envelope = await ask(agent, inputs);
      expect((await vote(ann, envelope, { vote: 'edit', inputs: { ...inputs, amount: 'many' } })).status).toBe(422);
      const edited = await vote<ApprovalBody>(ann, envelope, { vote: 'edit', inputs: { ...inputs, amount: 70 } });
      expect(edited).toMatchObject({
        status: 200,
        body: { edit: { diff: [{ op: 'replace', path: '/amount', value: 70 }] }, call: { input: { amount: 70 } } },
      });
      expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
      const effects = await at.counterparty.effectsOf(envelope.idempotency_key);
      expect(effects).toHaveLength(1);
      expect(await ask(agent, inputs)).toMatchObject({ status: 'succeeded', deduplicated: true });
      expect(await ask(agent, { ...inputs, amount: 70 })).toMatchObject({ status: 'succeeded', deduplicated: true });
      expect((await vote(ann, envelope, { vote: 'approve' })).status).toBe(409);
    });

    test('an edit to the inputs of an existing effect is refused', async () => {
      const { agent, ann, bob } = await people(at);
      const inputs = order({ amount: 5 });
      const done = await ask(agent, inputs);
      await vote(bob, done, { vote: 'approve' });
      await ended(agent, done);
      const envelope = await ask(agent, { ...inputs, amount: 6 });
      expect(await vote(ann, envelope, { vote: 'edit', inputs })).toMatchObject({ status: 409 });
      expect((await agent.readCall(envelope.call_id)).body.status).toBe('pending_approval');
    });

    test('similar calls of a case run without approval for a while, visible to all, until the grant is revoked', async () => {
      const { agent, ann, admin } = await people(at);
      const { case_id } = (await agent.request<{ case_id: string }>('POST', '/v1/cases', {})).body;
      const inputs = order();
      const first = await ask(agent, inputs, { case_id });
      await vote(ann, first, { vote: 'approve', grant: { scope: 'case', for_ms: 7_200_000 } });
      const listed = () => admin.request<{ items: { grant_id: string; status: string; case_id: string }[] }>('GET', '/v1/grants');
      for (let i = 0; i < 100 && (await listed()).body.items.length === 0; i++) await new Promise((done) => setTimeout(done, 50));
      const [grant] = (await listed()).body.items;
      expect(grant).toMatchObject({ status: 'active', case_id, uses: 1, used: 0, rules: ['default.commit_high'] });
      expect((await ask(agent, order({ amount: 40_000 }), { case_id })).status).toBe('pending_approval');
      const similar = await ask(agent, inputs, { case_id, occurrence: 'a second time' });
      expect(similar).toMatchObject({ status: 'succeeded', decision: { effect: 'allow', rule: `grant/${grant?.grant_id}` } });
      expect((await listed()).body.items).toMatchObject([{ used: 1 }]);
      expect((await ask(agent, inputs, { case_id, occurrence: 'a third time' })).status).toBe('pending_approval');
      expect((await admin.request('DELETE', `/v1/grants/${grant?.grant_id}`)).status).toBe(204);
      expect((await ask(agent, inputs, { case_id, occurrence: 'a fourth time' })).status).toBe('pending_approval');
    });

    test('one vote on many requests decides each separately', async () => {
      const { agent, ann, bob } = await people(at);
      const [one, two, three] = await Promise.all([ask(agent), ask(agent), ask(agent)]);
      await vote(bob, three as Envelope, { vote: 'deny' });
      const approval_ids = [one, two, three].map((envelope) => envelope?.approval?.approval_id);
      const { body } = await ann.request<{ items: { status: number }[] }>('POST', '/v1/approvals/votes', { approval_ids, vote: 'approve' });
      expect(body.items.map((item) => item.status)).toEqual([200, 200, 409]);
      expect(await ended(agent, one as Envelope)).toMatchObject({ status: 'succeeded' });
      expect(await ended(agent, two as Envelope)).toMatchObject({ status: 'succeeded' });
    });

    test('approvers see frozen evidence: how to undo it, and outcomes of similar calls; a denial gives a reason if required', async () => {
      const { agent, ann, require } = await people(at);
      await require({ reason_required_on_deny: true });
      const first = await ask(agent);
      expect((await vote(ann, first, { vote: 'deny' })).status).toBe(400);
      expect((await vote(ann, first, { vote: 'deny', reason: 'not today' })).status).toBe(200);
      await ended(agent, first);
      const second = await ask(agent);
      const seen = (await ann.request<ApprovalBody>('GET', `/v1/approvals/${second.approval?.approval_id}`)).body;
      expect(seen.evidence.undo).toMatch(/cannot be undone/);
      expect(seen.evidence.similar).toContainEqual(expect.objectContaining({ call_id: first.call_id, same_inputs: false }));
      expect(seen.barred).toEqual(['robot']);
    });

    test('approval quality is reported: who opened what before deciding, and what that cost', async () => {
      const { agent, ann, bob, admin, clerk } = await people(at);
      const [read, unread, refused] = [await ask(agent), await ask(agent), await ask(agent)];
      await ann.request('GET', `/v1/approvals/${read.approval?.approval_id}`);
      await vote(ann, read, { vote: 'approve' });
      await vote(bob, unread, { vote: 'approve' });
      await vote(bob, refused, { vote: 'deny', reason: 'no' });
      expect((await agent.request('GET', '/v1/approvals/quality')).status).toBe(403);
      const received = await clerk.request<Record<'approvers', Record<string, unknown>[]>>('GET', '/v1/approvals/quality?price_of_hour=60');
      expect(received.body.approvers).toContainEqual(expect.objectContaining({ name: 'ann', decisions: 1, approved_unopened: 0 }));
      expect(received.body.approvers).toContainEqual(
        expect.objectContaining({ name: 'bob', decisions: 2, approvals: 1, approved_unopened: 1, rubber_stamp: false }),
      );
      expect((await admin.request('GET', '/v1/approvals/quality?days=0')).status).toBe(400);
    });

    test('a webhook gets a signed message, retried until it is accepted; its link decides once, for the person of the channel', async () => {
      const { agent, admin, key } = await people(at);
      const receiver = await Receiver.start(1);
      try {
        const acts_as = { id: 'carl', roles: ['approver'] };
        await key('user', 'carl', acts_as.roles);
        const made = await admin.request<{ secret: string; webhook_id: string }>('POST', '/v1/webhooks', {
          url: receiver.url,
          types: ['approval.*'],
          acts_as,
        });
        expect(made.status).toBe(201);
        const envelope = await ask(agent);
        const [refused, taken] = await receiver.received(2);
        expect(taken?.headers['webhook-id']).toBe(refused?.headers['webhook-id']);
        const received = new Webhook(made.body.secret).verify(taken?.body ?? '', taken?.headers ?? {}) as {
          type: string;
          data: { decision_url: string; approval_id: string };
        };
        expect(received).toMatchObject({ type: 'approval.requested', data: { approval_id: envelope.approval?.approval_id } });
        const token = new URL(received.data.decision_url).searchParams.get('token');
        const page = await fetch(`${agent.base}/v1/decisions?token=${token}`);
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
        const decide = () => agent.request('POST', '/v1/decisions', { token, vote: 'approve' });
        expect((await decide()).status).toBe(200);
        expect(await ended(agent, envelope)).toMatchObject({ status: 'succeeded' });
        expect((await decide()).status).toBe(409);
        expect((await receiver.received(3))[2]?.body).toContain('"approval.granted"');
        expect(JSON.stringify((await admin.request('GET', '/v1/webhooks')).body)).not.toContain(made.body.secret);
      } finally {
        await receiver.stop();
      }
    });

    test('a Slack-compatible webhook shows the request and a button that decides it; a denial gives a reason', async () => {
      const { agent, admin, key } = await people(at);
      const receiver = await Receiver.start(1, 503);
      try {
        const acts_as = { id: 'dora', roles: ['approver'] };
        await key('user', 'dora', acts_as.roles);
        const made = await admin.request('POST', '/v1/webhooks', { channel: 'slack', url: receiver.url, acts_as });
        expect(made).toMatchObject({ status: 201, body: { channel: 'slack', state: 'active' } });
        expect(made.body.secret).toBeUndefined();
        const envelope = await ask(agent, order({ note: '<!channel> & co' }));
        const received = (await receiver.received(2)).map(({ body }) => JSON.parse(body) as { text: string; blocks: SlackBlock[] });
        expect(received[1]).toEqual(received[0]);
        const { text, blocks } = received[1] as (typeof received)[0];
        expect(text).toBe('probe_approval needs an approval');
        expect(blocks[0]?.text?.text).toContain('&lt;!channel&gt; &amp; co');
        const url = blocks[1]?.elements?.[0]?.url as string;
        expect((await fetch(url)).status).toBe(200);
        const token = new URL(url).searchParams.get('token');
        const decided = await agent.request('POST', '/v1/decisions', { token, vote: 'deny', reason: 'not this one' });
        expect(decided.status).toBe(200);
        expect(await ended(agent, envelope)).toMatchObject({ status: 'denied' });
        const last = JSON.parse((await receiver.received(3))[2]?.body ?? '{}') as { text: string; blocks: SlackBlock[] };
        expect([last.text, last.blocks.length]).toEqual(['probe_approval was denied', 1]);
        expect(last.blocks[0]?.text?.text).toContain('reason: not this one');
      } finally {
        await receiver.stop();
      }
    });

    test('a receiver that responds 410 Gone gets no more messages', async () => {
      const { agent, admin, ann } = await people(at);
      const receiver = await Receiver.start(10, 410);
      try {
        const { body } = await admin.request<{ webhook_id: string }>('POST', '/v1/webhooks', { url: receiver.url });
        await ask(agent);
        await receiver.received(1);
        const state = async () => (await admin.request<{ state: string }>('GET', `/v1/webhooks/${body.webhook_id}`)).body.state;
        for (let i = 0; i < 100 && (await state()) === 'active'; i++) await new Promise((done) => setTimeout(done, 20));
        expect(await state()).toBe('disabled');
        const second = await ask(agent);
        await vote(ann, second, { vote: 'approve' });
        await new Promise((done) => setTimeout(done, 300));
        expect(await receiver.received(1)).toHaveLength(1);
      } finally {
        await receiver.stop();
      }
    });

    test('approvers get a reminder, a message when the decision is overdue, and one when the request expired', async () => {
      const { agent, admin, ann, require } = await people(at);
      const receiver = await Receiver.start();
      try {
        await require({ reminders_ms: [2000], sla_ms: 4000, expires_after_ms: 8000 });
        await admin.request('POST', '/v1/webhooks', { url: receiver.url, types: ['approval.*'] });
        const begun = Date.now();
        const envelope = await ask(agent);
        const received = (await receiver.received(4, 40_000)).map(
          ({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> },
        );
        expect(received.map(({ type }) => type)).toEqual([
          'approval.requested',
          'approval.reminder',
          'approval.sla_missed',
          'approval.expired',
        ]);
        expect(Date.now() - begun).toBeGreaterThanOrEqual(8000);
        for (const { data } of received) expect(data.approval_id).toBe(envelope.approval?.approval_id);
        expect(await ended(agent, envelope)).toMatchObject({ status: 'expired', error: { code: 'TIMEOUT' } });
        expect((await vote(ann, envelope, { vote: 'approve' })).status).toBe(409);
        expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
      } finally {
        await receiver.stop();
      }
    });

    test('an approval withdrawn before the call runs prevents it; afterwards it is too late', async () => {
      const { agent, ann, bob, require, tenant_id } = await people(at);
      await require({ quorum: 2 });
      const counted = await ask(agent);
      await vote(ann, counted, { vote: 'approve' });
      expect((await vote(ann, counted, { vote: 'revoke' })).status).toBe(200);
      expect((await vote(bob, counted, { vote: 'approve' })).body.status).toBe('pending');
      expect((await vote(ann, counted, { vote: 'approve' })).status).toBe(200);
      expect(await ended(agent, counted)).toMatchObject({ status: 'succeeded' });
      expect(await vote(bob, counted, { vote: 'deny', reason: 'no' })).toMatchObject({
        status: 409,
        body: { approval_status: 'granted', decided_by: expect.stringContaining('bob'), decided_at: expect.stringMatching(/^20/) },
      });
      expect((await vote(ann, counted, { vote: 'revoke' })).status).toBe(409);
      await require({});
      expect((await at.admin.request('PUT', `/v1/tenants/${tenant_id}`, { running_max: 1 })).status).toBe(200);
      const busy = agent.call({ tool: 'probe_slow', inputs: { duration_ms: 8000 } });
      const envelope = await ask(agent);
      expect((await vote(ann, envelope, { vote: 'approve' })).body.status).toBe('granted');
      expect((await vote(bob, envelope, { vote: 'revoke' })).status).toBe(409);
      expect((await vote(ann, envelope, { vote: 'revoke' })).status).toBe(200);
      expect((await busy).body.status).toBe('succeeded');
      expect(await ended(agent, envelope)).toMatchObject({ status: 'cancelled' });
      expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
    });
  });
}
