import { type DamageAccepted, type DamageFound, firstMeta } from '@countersign/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptedDamage, type DamageState, damageOf, foundDamage, holdsSigning, isLost, noDamage } from './state.js';

const acme = { tenant_id: 'acme', lane: 'shared' };
const vip = { tenant_id: 'vip', lane: 'bulk' };

function damage(fields: Partial<DamageFound> = {}): DamageFound {
  return {
    meta: firstMeta('default', 1_790_000_000_000),
    kind: 'log',
    found_by: 'fold',
    topic: 'tool-executed',
    partition: 1,
    first_offset: 3,
    last_offset: 3,
    generation: 1,
    tenant_id: null,
    reason: 'record 3 is another one',
    found_at_ms: 1_790_000_000_000,
    ...fields,
  };
}

function accepted(of: readonly DamageFound[]): DamageAccepted {
  return {
    meta: firstMeta('default', 1_790_000_000_000),
    damage_ids: of.map(({ meta }) => meta.event_id),
    reason: 'restored',
    by: { kind: 'user', id: 'olga', roles: ['operator'] },
    accepted_at_ms: 1,
    opened: [],
  };
}

describe('damage found in the records', () => {
  test.each<[string, Partial<DamageFound>, boolean, boolean]>([
    ['of a topic of calls concerns the tenants of its lane', { topic: 'tool-executed' }, true, false],
    ['of a topic of another lane concerns the tenants of that lane', { topic: 'policy-decided.bulk' }, false, true],
    ['of a topic that exists once concerns everyone', { topic: 'configuration-changed' }, true, true],
    ['of a row concerns the tenant of the row', { kind: 'rows', topic: 'tool-executed', tenant_id: 'vip' }, false, true],
    ['of checkpoints concerns everyone', { kind: 'checkpoints', topic: null }, true, true],
  ])('%s', (_, fields, of_acme, of_vip) => {
    const state = foundDamage(noDamage(), damage(fields));
    expect([damageOf(state.open.values(), acme) !== undefined, damageOf(state.open.values(), vip) !== undefined]).toEqual([
      of_acme,
      of_vip,
    ]);
  });

  test('of the log or of checkpoints stops the signer, of rows or keys does not', () => {
    const holds = ['log', 'checkpoints', 'rows', 'keys'].filter((kind) =>
      holdsSigning(foundDamage(noDamage(), damage({ kind })).open.values()),
    );
    expect(holds).toEqual(['log', 'checkpoints']);
  });

  test('is closed once it is accepted, in whatever order the two topics are read', () => {
    const found = [damage(), damage({ topic: 'policy-decided' }), damage({ topic: 'approval-voted.bulk' })];
    const steps = [
      ...found.map((event) => (state: DamageState) => foundDamage(state, event)),
      (state: DamageState) => acceptedDamage(state, accepted(found.slice(0, 2)), 7),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(steps, { minLength: steps.length }), (order) => {
        const state = order.reduce((now, step) => step(now), noDamage());
        expect([...state.open.values()].map(({ topic }) => topic)).toEqual(['approval-voted.bulk']);
        expect(state.lost.map(({ topic }) => topic).sort()).toEqual(['policy-decided', 'tool-executed']);
      }),
    );
  });

  test.each<[string, Partial<DamageFound>, boolean]>([
    ['the same records', {}, true],
    ['some of them', { first_offset: 4 }, true],
    ['more than them', { last_offset: 8 }, false],
    ['those of another partition', { partition: 2 }, false],
    ['a row', { kind: 'rows', tenant_id: 'acme' }, false],
    ['a place without offsets', { first_offset: null, last_offset: null }, false],
    ['what keeps the signer from going on', { found_by: 'signer' }, false],
    ['those of another generation of the tree', { generation: 2 }, false],
  ])('after records were accepted as they are, %s found again: already accepted', (_, fields, is_known) => {
    const records = damage({ first_offset: 3, last_offset: 7 });
    const state = acceptedDamage(foundDamage(noDamage(), records), accepted([records]), 7);
    const { meta, ...again } = damage({ first_offset: 3, last_offset: 7, ...fields });
    expect(isLost(state, { ...again, damage_id: meta.event_id })).toBe(is_known);
  });
});
