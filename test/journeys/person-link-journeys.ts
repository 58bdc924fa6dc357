import { AUDIENCE, OpenId, signingKey } from '@countersign/gateway/testing/open-id';
import { describe, expect, test } from 'vitest';
import type { JourneyWorld } from './journey-world.js';
import { ask, ended, people, vote } from './oversight-people.js';

interface LinkJson {
  link_id: string;
  relation: string;
  changed_by: string;
  etag?: string;
}

const identity = (subject: string, issuer = 'local') => ({ issuer, subject });
const same = (one: string, other: string) => ({
  one: identity(one),
  other: identity(other),
  relation: 'same',
  reason: 'two keys of one person',
});
const approve = { vote: 'approve' };

/** Identities that are one person, or two, wherever people are excluded. */
export function describePersonLinkJourneys(at: JourneyWorld): void {
  describe('linked identities', () => {
    test('two linked keys count once, also if the link is recorded after both voted, and rights are unchanged', async () => {
      const { agent, ann, bob, clerk, admin, key, require } = await people(at);
      const carl = await key('user', 'carl', ['approver']);
      await require({ approver_roles: ['approver'], quorum: 3 });
      const voted = await ask(agent);
      for (const who of [ann, bob]) expect((await vote(who, voted, approve)).body.status).toBe('pending');
      const made = await admin.request<LinkJson>('PUT', '/v1/person-links/ann', same('ann', 'bob'));
      expect(made).toMatchObject({ status: 200, body: { link_id: 'ann', relation: 'same', changed_by: 'root' } });
      expect((await vote(carl, voted, approve)).body.status).toBe('pending');
      expect((await vote(bob, voted, approve)).status).toBe(409);
      const dora = await key('user', 'dora', ['approver']);
      expect((await vote(dora, voted, approve)).status).toBe(200);
      expect(await ended(agent, voted)).toMatchObject({ status: 'succeeded' });
      expect(await at.counterparty.effectsOf(voted.idempotency_key)).toHaveLength(1);

      await require({ approver_roles: ['approver'], quorum: 2 });
      const submitted = await ask(agent);
      expect((await vote(ann, submitted, approve)).body.status).toBe('pending');
      expect((await vote(bob, submitted, approve)).status).toBe(409);
      expect((await vote(clerk, submitted, approve)).status).toBe(403);
      expect((await admin.request('DELETE', '/v1/person-links/ann')).status).toBe(204);
      expect((await vote(bob, submitted, approve)).status).toBe(409);
      expect((await vote(carl, submitted, approve)).status).toBe(200);
      const anew = await ask(agent);
      for (const who of [ann, bob]) expect((await vote(who, anew, approve)).status).toBe(200);
      expect(await ended(agent, anew)).toMatchObject({ status: 'succeeded' });
    });

    test('four eyes exclude everyone who is linked with the requester', async () => {
      const { agent, ann, admin, require } = await people(at);
      await require({ approver_roles: ['approver'] });
      await admin.request('PUT', '/v1/person-links/agents', same('ann', 'robot'));
      expect((await vote(ann, await ask(agent), approve)).status).toBe(403);
    });

    test('two principals of one subject are linked for requests after the link is recorded, not for earlier ones', async () => {
      const provider = await OpenId.open(['alice'], [signingKey('first').jwk]);
      const { admin } = at;
      const role_mappings = [{ value: 'staff', role: 'approver' }];
      const trusted = { issuer: provider.issuer, audiences: [AUDIENCE], algorithms: ['ES256'], role_mappings };
      try {
        expect((await admin.request('PUT', '/v1/identity-providers/corp', trusted)).status).toBe(200);
        const agent = await admin.keyFor('agent', 'parted', ['agent']);
        const [local, corp] = [await admin.keyFor('user', 'alice', ['approver']), admin.as(await provider.token('alice'))];
        const requirement = { approver_roles: ['approver'], quorum: 2 };
        const tool = { tier: 'tier_2_approval_required', requirement };
        expect((await admin.request('PUT', '/v1/policies/tools/probe_approval', tool)).status).toBe(200);
        const before = await ask(agent);
        expect((await vote(local, before, approve)).body.status).toBe('pending');
        const parted = { one: identity('alice'), other: identity('Alice', provider.issuer), relation: 'different', reason: 'two people' };
        expect((await admin.request('PUT', '/v1/person-links/alices', parted)).status).toBe(200);
        expect((await vote(corp, before, approve)).status).toBe(409);
        const after = await ask(agent);
        expect((await vote(local, after, approve)).body.status).toBe('pending');
        expect((await vote(local, after, approve)).status).toBe(409);
        expect((await vote(corp, after, approve)).status).toBe(200);
        expect(await ended(agent, after)).toMatchObject({ status: 'succeeded' });
        expect(await at.counterparty.effectsOf(after.idempotency_key)).toHaveLength(1);
      } finally {
        for (const name of ['person-links/alices', 'policies/tools/probe_approval', 'identity-providers/corp'])
          await admin.request('DELETE', `/v1/${name}`);
        await provider.close();
      }
    });

    test('only policy admins record or remove a link, and never about themselves', async () => {
      const { admin, ann, agent, clerk, key } = await people(at);
      const officer = await key('user', 'officer', ['policy_admin']);
      const url = '/v1/person-links/officer';
      const own = {
        one: identity('Officer'),
        other: identity('officer', 'https://idp.example.com'),
        relation: 'different',
        reason: 'a namesake',
      };
      expect(await officer.request('PUT', url, own)).toMatchObject({ status: 403, body: { detail: expect.stringMatching(/four eyes/) } });
      for (const who of [ann, agent, clerk]) expect((await who.request('PUT', url, own)).status).toBe(403);
      expect((await admin.request('PUT', url, own)).status).toBe(200);
      expect((await officer.request('DELETE', url)).status).toBe(403);
      expect((await officer.request('PUT', url, same('ann', 'bob'))).status).toBe(403);
      expect((await clerk.request<{ items: LinkJson[] }>('GET', '/v1/person-links')).body.items).toMatchObject([{ link_id: 'officer' }]);
      expect((await officer.request('PUT', '/v1/person-links/others', same('ann', 'bob'))).status).toBe(200);
      expect((await admin.request('PUT', '/v1/person-links/self', same('ann', ' ANN'))).status).toBe(400);
      expect((await admin.request('DELETE', url)).status).toBe(204);
      expect((await admin.request('GET', url)).status).toBe(404);
    });
  });
}
