import type { AnyEvent } from '@countersign/contracts';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { evolveConfiguration } from '../configuration/evolve.js';
import { liveRolesOf, rolesLeft } from '../configuration/kinds/people.js';
import { type ConfigurationState, initialConfiguration } from '../configuration/state/configuration.js';
import { aMeta, asks, person, RuledPartition } from '../testing/ruled-partition.js';

const ISSUER = 'https://idp.example';
const DAY_MS = 86_400_000;
const [ann, bob, clerk] = [person('ann'), person('bob'), person('clerk', ['auditor'])];

let state: ConfigurationState;
let policy: RuledPartition;
let offset: number;

function set(event_type: string, body: object, tenant_id = 'acme'): void {
  const event = { meta: { ...aMeta(null), tenant_id }, by: person('root', ['admin']), changed_at_ms: 1, ...body };
  const at = { ...({ event_type, event } as unknown as AnyEvent), topic: 'configuration-changed', offset: offset++ };
  evolveConfiguration(state, at as Parameters<typeof evolveConfiguration>[1]);
}

function key(
  id: string,
  { key_id = id, tenant_id = 'acme', roles = ['approver'], kind = 'user', expires_at_ms = null as number | null } = {},
) {
  set('api_key_set', { key_id, key_hash: key_id, principal: { kind, id, roles }, expires_at_ms, created_at_ms: 0, scopes: [] }, tenant_id);
}
const revoke = (key_id: string) => set('api_key_revoked', { key_id, revoked_at_ms: 5 });
const provider = (more: object = {}, tenant_id = 'acme') =>
  set('identity_provider_set', { provider_id: 'idp', issuer: ISSUER, kind: 'user', removed: false, ...more }, tenant_id);
const token = (verified_at_ms: number, roles = ['approver'], tenant_id = 'acme') =>
  set('person_token_verified', { provider_id: 'idp', subject: 'ann', roles, verified_at_ms }, tenant_id);
const live = (at_ms: number, issuer: string | null = ISSUER, tenant_id = 'acme') => {
  const roles = liveRolesOf(state, tenant_id, { issuer, id: 'ann' }, { at_ms, as: 'voter' });
  return roles && [...roles].sort();
};
const refusal = () => policy.last('approval_vote_refused').code;

beforeEach(() => {
  [state, policy, offset] = [initialConfiguration(), new RuledPartition(), 0];
  policy.roles_left = (who, roles, as) => rolesLeft(state, 'acme', who, { roles, at_ms: policy.now_ms, as });
  policy.rule('c1', { ...asks, quorum: 2 });
});

describe('a local person', () => {
  test('votes while one valid key has the role; approvals given before a revocation stay', () => {
    key('ann');
    key('bob');
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_counted']);
    revoke('ann');
    expect(policy.vote('c1.1', ann, 'revoke')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_live');
    expect(policy.vote('c1.1', bob, 'approve')).toEqual(['approval_granted']);
  });

  test.each(['approve', 'deny', 'revoke', 'delegate'] as const)('without a valid key casts no vote: %s', (kind) => {
    key('ann');
    key('ann', { key_id: 'second', expires_at_ms: policy.now_ms });
    revoke('ann');
    const more = { reason: 'why', ...(kind === 'delegate' ? { to: 'bob' } : {}) };
    expect(policy.vote('c1.1', ann, kind, more)).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_live');
    expect(policy.edit('c1.1', ann, asks)).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_live');
  });

  test('has only the roles of valid keys: a role that a vote claims and no key gives does not count', () => {
    key('ann', { key_id: 'old' });
    key('ann', { key_id: 'new', roles: ['agent'] });
    revoke('old');
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect([refusal(), policy.last('approval_vote_refused').reason]).toEqual(['not_live', expect.stringContaining('has lost the role')]);
  });

  test('is not live by the key of another tenant, of a service, or of another id', () => {
    key('ann', { key_id: 'theirs', tenant_id: 'other' });
    key('ann', { key_id: 'service', kind: 'service' });
    key('Ann', { key_id: 'other' });
    expect(policy.vote('c1.1', ann, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_live');
  });

  test('keeps a passed vote valid only as long as the right of the giver lasts', () => {
    key('ann');
    key('clerk', { roles: ['auditor'] });
    expect(policy.vote('c1.1', ann, 'delegate', { to: 'clerk' })).toEqual(['approval_vote_counted']);
    revoke('ann');
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_refused']);
    expect(refusal()).toBe('not_entitled');
    key('ann', { key_id: 'again' });
    expect(policy.vote('c1.1', clerk, 'approve')).toEqual(['approval_vote_counted']);
  });
});

describe('a person of an identity provider', () => {
  test('is live while the provider is configured and a token with the role is less than a day old', () => {
    expect(live(0)).toBeUndefined();
    provider();
    token(1000);
    token(500, ['admin']);
    expect(live(1000 + DAY_MS - 1)).toEqual(['approver']);
    expect(live(500 + DAY_MS - 1)).toEqual(['admin', 'approver']);
    expect(live(1000 + DAY_MS)).toBeUndefined();
    expect([live(1000, 'https://other.example'), live(1000, 'local'), live(1000, ISSUER, 'other')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(live(1000, null)).toEqual(['admin', 'approver']);
    provider({ removed: true });
    expect(live(1000)).toBeUndefined();
  });

  test('must sign in again after the provider was changed or set up again, or after the time that the provider sets', () => {
    provider();
    token(1000);
    provider({ people_live_ms: 5000 });
    expect(live(1001)).toBeUndefined();
    token(1000);
    expect([live(5999), live(6000)]).toEqual([['approver'], undefined]);
  });

  test('is not live by the token of a provider of agents or of another tenant', () => {
    provider({ kind: 'agent' });
    token(1000);
    provider({}, 'other');
    token(1000, ['approver'], 'other');
    expect([live(1000), live(1000, ISSUER, 'other')]).toEqual([undefined, ['approver']]);
  });
});

test('whatever the order of keys, no voter decides with a role that none of their valid keys gives', () => {
  const step = fc.oneof(
    fc.record({
      add: fc.constantFrom('a', 'b', 'c'),
      role: fc.constantFrom('approver', 'admin', 'agent'),
      until: fc.constantFrom(null, 10, 30),
    }),
    fc.record({ drop: fc.constantFrom('a', 'b', 'c') }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.constantFrom(5, 10, 20, 30), (steps, at_ms) => {
      [state, offset] = [initialConfiguration(), 0];
      const known = new Map<string, { role: string; until: number | null; is_revoked: boolean }>();
      for (const one of steps) {
        if ('add' in one) {
          key('ann', { key_id: one.add, roles: [one.role], expires_at_ms: one.until });
          known.set(one.add, { role: one.role, until: one.until, is_revoked: known.get(one.add)?.is_revoked ?? false });
        } else {
          revoke(one.drop);
          const dropped = known.get(one.drop);
          if (dropped) dropped.is_revoked = true;
        }
      }
      const good = [...known.values()].filter(({ is_revoked, until }) => !is_revoked && (until === null || at_ms < until));
      const expected = good.length === 0 ? undefined : [...new Set(good.map(({ role }) => role))].sort();
      expect(live(at_ms, 'local')).toEqual(expected);
    }),
  );
});
