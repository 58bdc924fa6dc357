import { expect, test } from 'vitest';
import { itemsOf } from '../forms/comma-list.js';
import { attemptText } from './attempt-text.js';
import { type Channel, channelRequest, formOf } from './channel-request.js';
import { delegationRequest, EMPTY_DELEGATION } from './delegation-request.js';
import { EMPTY_KEY, keyRequest } from './key-request.js';
import { EMPTY_PROVIDER, type Provider, providerFormOf, providerRequest } from './provider-request.js';

test('a list is split at commas and lines, without empty and repeated items', () => {
  expect(itemsOf(' a, b\n\nc,,a ')).toEqual(['a', 'b', 'c']);
});

test('what is left empty in the form of a key is left out; only an agent has an owner', () => {
  const form = { ...EMPTY_KEY, id: ' bot ', roles: ['agent'], owner: 'olivia', days: '' };
  const principal = { kind: 'user', id: 'bot', roles: ['agent'] };
  expect(keyRequest(form, 0)).toEqual({ principal, scopes: [], clearances: [] });
  expect(keyRequest({ ...form, kind: 'agent', days: '7' }, 0)).toMatchObject({ owner: 'olivia', expires_at: '1970-01-08T00:00:00.000Z' });
});

test('a changed channel keeps the person as whom it acts', () => {
  const acts_as = { kind: 'user', id: 'ann', roles: ['approver'] };
  const channel = {
    channel: 'webhook',
    url: 'https://a.example/',
    types: ['approval.*', 'saga.*'],
    description: 'd',
    state: 'active',
    acts_as,
  };
  const before = channel as Channel;
  expect(channelRequest({ ...formOf(before), state: 'disabled' }, before)).toEqual({
    ...channel,
    state: 'disabled',
    acts_as: { id: 'ann', roles: ['approver'] },
  });
  expect(channelRequest(formOf(before))).not.toHaveProperty('acts_as');
});

test('a changed provider keeps what the form does not show; sign-in ends where its fields are empty', () => {
  const before = {
    ...{ provider_id: 'corp', issuer: 'https://i.example', audiences: ['a'], jwks_uri: null, algorithms: ['ES256'], kind: 'user' },
    ...{ subject_claim: 'oid', roles_claim: 'groups', role_mappings: [{ value: 'a=b', role: 'approver' }], default_roles: ['agent'] },
    ...{ scopes_claim: 'scp', clearances_claim: 'c', purposes_claim: 'p', people_live_ms: 60_000, stand_ins_live_ms: 70_000 },
    ...{ sign_in: { name: 'Corp', client_id: 'cid', client_secret: 'corp-secret', scopes: ['email'] } },
    ...{ tenant_id: 'default', changed_at: 'x', etag: 'y' },
  } as Provider;
  const { provider_id: _id, tenant_id: _tenant, changed_at: _at, etag: _etag, jwks_uri: _jwks, ...kept } = before;
  const form = providerFormOf(before);
  expect(providerRequest(form, before)).toEqual(kept);
  expect(providerRequest({ ...form, sign_in_name: '', client_id: '', client_secret: '' }, before)).not.toHaveProperty('sign_in');
  expect(providerRequest({ ...EMPTY_PROVIDER, role_mappings: 'no role\n' }).role_mappings).toEqual([{ value: 'no role', role: '' }]);
});

test('times of a delegation are sent as ISO times; a missing one is left out, so that the gateway says what is missing', () => {
  const ends = '2026-08-01T12:00';
  const body = delegationRequest({ ...EMPTY_DELEGATION, to: ' ben ', ends });
  expect(body).toEqual({ to: 'ben', tools: [], reason: 'out of office', expires_at: new Date(ends).toISOString() });
  expect(delegationRequest(EMPTY_DELEGATION)).not.toHaveProperty('expires_at');
});

test('an attempt says whether it was delivered, the answer and the time', () => {
  expect(attemptText({ status: 204, error: null, duration_ms: 12 })).toEqual({
    word: 'Delivered',
    tone: 'good',
    text: 'answer 204, 12 ms',
  });
  expect(attemptText({ status: null, error: 'connection_failed', duration_ms: 5 }).text).toBe('connection failed, 5 ms');
});
