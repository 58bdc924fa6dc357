import type { AnyEvent } from '@countersign/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { aMeta, person } from '../../testing/ruled-partition.js';
import { evolveConfiguration } from '../evolve.js';
import { type ConfigurationState, initialConfiguration } from '../state/configuration.js';
import { standingFor } from './delegations.js';

const root = person('root', ['admin']);
let state: ConfigurationState;
let offset = 0;
const set = (event_type: string, body: object) =>
  evolveConfiguration(state, {
    ...({ event_type, event: { meta: aMeta(null), by: root, changed_at_ms: 1, ...body } } as unknown as AnyEvent),
    topic: 'configuration-changed',
    offset: offset++,
  } as Parameters<typeof evolveConfiguration>[1]);
const key = (key_id: string, expires_at_ms: number | null = null) =>
  set('api_key_set', {
    key_id,
    key_hash: key_id,
    principal: person('ann'),
    scopes: [],
    expires_at_ms,
    created_at_ms: 0,
    only_if_first: false,
  });
const ISSUER = 'https://idp.example';
const provider = (more: object = {}) =>
  set('identity_provider_set', { provider_id: 'idp', issuer: ISSUER, kind: 'user', removed: false, ...more });
const token = (verified_at_ms: number) =>
  set('person_token_verified', { provider_id: 'idp', subject: 'bea', roles: ['approver'], verified_at_ms });
const given = { delegation_id: 'd', from: person('ann'), to: 'clerk', tools: [], from_ms: 0, until_ms: 100, ended: false };
const revoke = (key_id: string) => set('api_key_revoked', { key_id, revoked_at_ms: 5 });
const standIns = (now_ms = 10) => standingFor(state, 'acme', { to: 'clerk', tool: 'pay', now_ms }).map(({ from }) => from.id);

describe('given a person with an active vote delegation', () => {
  beforeEach(() => {
    state = initialConfiguration();
    set('tenant_set', { lane: 'shared', weight: 1, running_max: 8, in_flight_max: 100 });
    set('delegation_set', given);
  });

  test('when one of their keys is still valid, then the delegate decides; without a valid key nobody decides', () => {
    expect(standIns()).toEqual([]);
    key('old');
    key('new');
    revoke('old');
    expect(standIns()).toEqual(['ann']);
  });

  test('when the last key is revoked or expired, then the delegation no longer counts', () => {
    key('old');
    revoke('old');
    expect(standIns()).toEqual([]);
    key('short', 20);
    expect([standIns(19), standIns(20)]).toEqual([['ann'], []]);
  });

  test('when the tenant has an identity provider too, then a local person without a valid key still loses the delegation', () => {
    key('old');
    provider();
    revoke('old');
    expect(standIns()).toEqual([]);
  });

  test('when a person of a provider delegated, then the delegation holds while their token is recent enough for delegates, and ends with the provider', () => {
    provider({ stand_ins_live_ms: 50 });
    token(0);
    set('delegation_set', { ...given, delegation_id: 'e', from: person('bea'), from_issuer: ISSUER });
    expect([standIns(49), standIns(50)]).toEqual([['bea'], []]);
    provider({ removed: true });
    expect(standIns(10)).toEqual([]);
  });

  test('when the delegator has lost a role, then the delegate decides without it', () => {
    key('k');
    set('delegation_set', { ...given, delegation_id: 'e', from: person('ann', ['approver', 'admin']), from_issuer: 'local' });
    expect(standingFor(state, 'acme', { to: 'clerk', tool: 'pay', now_ms: 10 }).map(({ from }) => from.roles)).toEqual([
      ['approver'],
      ['approver'],
    ]);
  });
});
