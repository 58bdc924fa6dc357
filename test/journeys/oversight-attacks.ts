import { describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { type JourneyWorld, order } from './journey-world.js';
import { ask, ended, people, vote } from './oversight-people.js';
import { Receiver } from './receiver.js';

type People = Awaited<ReturnType<typeof people>>;
/** A channel's message about a request, with the link that decides it. */
type ReportedLink = { type: string; data: { decision_url: string; expires_at: string } };
type Race = (of: People, envelope: Envelope, round: number) => Promise<number[]>;

const ROUNDS = 10;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const approve = async (by: Api, envelope: Envelope) => (await vote(by, envelope, { vote: 'approve' })).status;
const deny = async (by: Api, envelope: Envelope) => (await vote(by, envelope, { vote: 'deny', reason: 'no' })).status;
const tier = (of: People, name: string) => of.admin.request('PUT', '/v1/policies/tools/probe_approval', { tier: name });

const races: Readonly<Record<string, Race>> = {
  'two approvers': ({ ann, bob }, envelope) => Promise.all([approve(ann, envelope), deny(bob, envelope)]),
  'two tabs': ({ ann }, envelope) => Promise.all([approve(ann, envelope), approve(ann, envelope)]),
  'approve while expiring': async ({ ann }, envelope, round) => {
    await pause(1700 + 60 * round);
    return [await approve(ann, envelope)];
  },
  'approve while policy changes': async (of, envelope, round) => {
    const change = tier(of, round % 2 === 0 ? 'tier_3_blocked' : 'tier_2_approval_required');
    const statuses = [await approve(of.ann, envelope)];
    await change;
    return statuses;
  },
  'replayed vote': async ({ ann }, envelope) => [await approve(ann, envelope), await approve(ann, envelope), await approve(ann, envelope)],
};

const KINDS_OF_END = ['succeeded', 'denied', 'expired', 'failed', 'cancelled'];

/** Tokens that attackers derive from a valid one: another request, another time, another tenant, another channel, cut, unsigned. */
function forgedTokens(token: string): string[] {
  const [body = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const as = (change: Record<string, unknown>) =>
    `${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}.${signature}`;
  const changed = [
    { approval_id: `${claims.approval_id}0` },
    { expires_at_ms: 9e15 },
    { tenant_id: 'default' },
    { webhook_id: 'other' },
    { more: 1 },
  ];
  return [...changed.map(as), body, `${body}.`, `${body}.${signature.slice(2)}`, `${token}.x`];
}

/** Races and forgeries of approvals: one winner, at most one effect, and only votes of entitled people count. */
export function describeOversightAttacks(at: JourneyWorld): void {
  describe('attacks on approvals', () => {
    test.each(Object.entries(races))(
      'race: %s: one end wins, at most one effect',
      async (name, race) => {
        const of = await people(at);
        if (name === 'approve while expiring') await of.require({ expires_after_ms: 2000 });
        const run = async (round: number) => {
          if (name === 'approve while policy changes') await tier(of, 'tier_2_approval_required');
          const envelope = await ask(of.agent);
          expect(envelope.status).toBe('pending_approval');
          const statuses = await race(of, envelope, round);
          expect(statuses.filter((status) => status < 300).length).toBeLessThanOrEqual(1);
          for (const status of statuses) expect([200, 403, 409]).toContain(status);
          const end = await ended(of.agent, envelope);
          expect(KINDS_OF_END).toContain(end.status);
          const effects = await at.counterparty.effectsOf(envelope.idempotency_key);
          expect(effects).toHaveLength(end.status === 'succeeded' ? 1 : 0);
          const approval = await of.ann.request<{ status: string }>('GET', `/v1/approvals/${envelope.approval?.approval_id}`);
          expect(approval.body.status).not.toBe('pending');
        };
        const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
        if (name === 'approve while expiring') await Promise.all(rounds.map(run));
        else for (const round of rounds) await run(round);
      },
      120_000,
    );

    test('none of sixty forgeries counts, and the request is unchanged', async () => {
      const of = await people(at);
      const stranger = await people(at);
      const receiver = await Receiver.start();
      try {
        await of.key('user', 'carl', ['approver']);
        await of.admin.request('POST', '/v1/webhooks', { url: receiver.url, acts_as: { id: 'carl', roles: ['approver'] } });
        const self = await of.key('user', 'self', ['agent', 'approver', 'admin']);
        const robot = await of.key('agent', 'robot-2', ['agent', 'approver', 'admin']);
        let tried = 0;
        for (let round = 0; round < 4; round++) {
          const inputs = order();
          const envelope = (await self.call({ tool: 'probe_approval', inputs })).body;
          const approval_id = envelope.approval?.approval_id;
          const messages = (await receiver.received(round + 1))[round]?.body ?? '';
          const { data } = JSON.parse(messages) as { data: { decision_url: string } };
          const token = new URL(data.decision_url).searchParams.get('token') as string;
          const forged = await Promise.all([
            vote(of.ann, envelope, { vote: 'approve', inputs: { ...inputs, amount: 1 } }),
            vote(self, envelope, { vote: 'approve' }),
            vote(robot, envelope, { vote: 'approve' }),
            vote(stranger.ann, envelope, { vote: 'approve' }),
            vote(of.clerk, envelope, { vote: 'approve' }),
            vote(of.ann, { approval: { approval_id: `${approval_id}0`, status: '' } }, { vote: 'approve' }),
            ...forgedTokens(token).map((one) => at.agent.request('POST', '/v1/decisions', { token: one, vote: 'approve' })),
          ]);
          tried += forged.length;
          expect(forged.map(({ status }) => status).filter((status) => ![400, 403, 404].includes(status))).toEqual([]);
          expect((await self.readCall(envelope.call_id)).body.status).toBe('pending_approval');
          expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
        }
        expect(tried).toBeGreaterThanOrEqual(60);
      } finally {
        await receiver.stop();
      }
    });

    test('a revoked person cannot vote: not through an earlier link, not through a delegation, and not as its delegator', async () => {
      const of = await people(at);
      const receiver = await Receiver.start();
      try {
        await of.key('user', 'carl', ['approver']);
        const carl = await of.key('user', 'carl', ['approver']);
        const stand_in = { to: 'clerk', until: new Date(Date.now() + 3_600_000).toISOString() };
        expect((await carl.request('POST', '/v1/vote-delegations', stand_in)).status).toBe(201);
        const acts_as = { id: 'carl', roles: ['approver'] };
        expect((await of.admin.request('POST', '/v1/webhooks', { url: receiver.url, types: ['approval.requested'], acts_as })).status).toBe(
          201,
        );
        const envelope = await ask(of.agent);
        const { data } = JSON.parse((await receiver.received(1))[0]?.body ?? '') as ReportedLink;
        const token = new URL(data.decision_url).searchParams.get('token');
        const keys = await of.admin.request<{ items: { key_id: string; principal: { id: string } }[] }>('GET', '/v1/keys?limit=100');
        const theirs = keys.body.items.filter(({ principal }) => principal.id === 'carl');
        expect(theirs).toHaveLength(2);
        for (const { key_id } of theirs) expect((await of.admin.request('DELETE', `/v1/keys/${key_id}`)).status).toBe(204);
        const tried = [
          await at.agent.request('POST', '/v1/decisions', { token, vote: 'approve' }),
          await vote(of.clerk, envelope, { vote: 'approve' }),
          await vote(carl, envelope, { vote: 'approve' }),
        ];
        expect(tried.map(({ status }) => status)).toEqual([403, 403, 401]);
        expect((await fetch(data.decision_url)).status).toBe(403);
        expect((await of.agent.readCall(envelope.call_id)).body.status).toBe('pending_approval');
        expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(0);
        expect((await vote(of.ann, envelope, { vote: 'approve' })).status).toBe(200);
        expect(await ended(of.agent, envelope)).toMatchObject({ status: 'succeeded', approval: { decided_by: 'ann' } });
      } finally {
        await receiver.stop();
      }
    });

    test('a link decides nothing after it expired, even if its request still waits, and nothing a second time', async () => {
      const of = await people(at);
      const receiver = await Receiver.start();
      try {
        const acts_as = { id: 'carl', roles: ['approver', 'operator'] };
        await of.key('user', 'carl', acts_as.roles);
        await of.admin.request('POST', '/v1/webhooks', { url: receiver.url, types: ['approval.*'], acts_as });
        const escalate_to = [{ approver_roles: ['operator'], expires_after_ms: 600_000 }];
        await of.require({ expires_after_ms: 2000, on_expiry: 'escalate', escalate_to });
        const envelope = await ask(of.agent);
        const messages = (await receiver.received(2)).map(({ body }) => JSON.parse(body) as ReportedLink);
        expect(messages.map(({ type }) => type)).toEqual(['approval.requested', 'approval.escalated']);
        const [early, now] = messages as [ReportedLink, ReportedLink];
        await pause(Math.max(0, Date.parse(early.data.expires_at) - Date.now() + 1));
        const decide = ({ data }: ReportedLink) =>
          at.agent.request('POST', '/v1/decisions', { token: new URL(data.decision_url).searchParams.get('token'), vote: 'approve' });
        const expired = { status: 403, body: { detail: 'the link has expired' } };
        expect(await decide(early)).toMatchObject(expired);
        expect((await fetch(early.data.decision_url)).status).toBe(403);
        expect((await of.agent.readCall(envelope.call_id)).body.status).toBe('pending_approval');
        const used = [await decide(now), await decide(now), await decide(early)];
        expect(used).toMatchObject([{ status: 200 }, { status: 409 }, expired]);
        expect(await ended(of.agent, envelope)).toMatchObject({ status: 'succeeded', approval: { decided_by: 'carl' } });
        expect((await decide(now)).status).toBe(409);
        expect(await at.counterparty.effectsOf(envelope.idempotency_key)).toHaveLength(1);
      } finally {
        await receiver.stop();
      }
    });
  });
}
