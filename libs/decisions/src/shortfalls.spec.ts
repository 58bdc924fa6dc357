import type { EventMap } from '@countersign/contracts';
import { evolveConfiguration, initialConfiguration, requirementOf } from '@countersign/domain';
import { expect, test } from 'vitest';
import { shortfallsOf } from './shortfalls.js';

const config = initialConfiguration();
let offset = 0;
function set<T extends 'api_key_set' | 'api_key_revoked' | 'person_link_set' | 'identity_provider_set'>(event_type: T, body: object): void {
  const event = { meta: { tenant_id: 'acme', event_id: `e${offset}` }, changed_at_ms: 1, ...body } as unknown as EventMap[T];
  const at = { topic: 'configuration-changed', event_type, event, offset: offset++, partition: 0, timestamp_ms: 1 };
  evolveConfiguration(config, at as never);
}

for (const id of ['ann', 'bob', 'carl'])
  set('api_key_set', { key_id: id, key_hash: id, principal: { kind: 'user', id, roles: ['approver'] }, expires_at_ms: null, owner: null });
const requirement = requirementOf({ approver_roles: ['approver'], quorum: 2, expires_after_ms: 1000 });
const short = (quorum: number, barred: string[] = []) =>
  shortfallsOf(config, 'acme', [{ rule: 'r', requirement: { ...requirement, quorum } }], {
    barred: barred.map((id) => ({ issuer: 'local', id })),
    at_ms: 2,
  }).has('r');

test('the people who could satisfy a part are counted once each, without those linked to an excluded person', () => {
  expect([short(3), short(2, ['ann'])]).toEqual([false, false]);
  const [one, other] = ['ann', 'bob'].map((subject) => ({ issuer: 'local', subject }));
  set('person_link_set', { link_id: 'l', one, other, relation: 'same', reason: 'two keys', removed: false });
  expect([short(3), short(2), short(2, ['carl']), short(1, ['ann']), short(2, ['ann'])]).toEqual([true, false, true, false, true]);
});

test('a person with a revoked key does not count; the number of people of a configured provider is unknown; people of other providers do not count', () => {
  const named = (...people: string[]) =>
    shortfallsOf(config, 'acme', [{ rule: 'r', requirement: { ...requirement, approver_roles: [], people, quorum: people.length } }], {
      barred: [],
      at_ms: 2,
    }).has('r');
  const issuer = 'https://idp.example';
  expect([named('carl'), named('carl', `${issuer}|zoe`)]).toEqual([false, true]);
  set('identity_provider_set', { provider_id: 'machines', issuer: 'https://machines.example', kind: 'agent', removed: false });
  expect([short(3), named('https://machines.example|zoe')]).toEqual([true, true]);
  set('identity_provider_set', { provider_id: 'people', issuer, kind: 'user', removed: false });
  expect([short(3), named('carl', `${issuer}|zoe`), named('carl', 'https://other.example|zoe')]).toEqual([false, false, true]);
  set('api_key_revoked', { key_id: 'carl', revoked_at_ms: 1 });
  expect([named('carl'), named('carl', `${issuer}|zoe`)]).toEqual([true, true]);
});
