import { expect, test } from 'vitest';
import { keptClaims, principalOf } from './token-claims.js';

const provider = {
  kind: 'user',
  subject_claim: 'sub',
  roles_claim: 'roles',
  scopes_claim: 'scope',
  clearances_claim: 'clearances',
  purposes_claim: 'purposes',
  default_roles: ['agent'],
  role_mappings: [],
} as unknown as Parameters<typeof principalOf>[1];

test.each(['anna', 'anna@example.com', 'Ångström \u{1F9FE}', 'x'.repeat(200)])('a token with the subject %.20s is accepted', (sub) => {
  expect(principalOf({ sub }, provider)?.principal).toEqual({ kind: 'user', id: sub, roles: ['agent'] });
});

test.each(['', 'x'.repeat(201), 'two\nlines', 'nul\0', '\u009b', '\u2029', '\ud800', 7, undefined])(
  'a token with the subject %j has no principal',
  (sub) => {
    expect(principalOf({ sub } as never, provider)).toBeUndefined();
  },
);

test('the kept claims give the same principal as the token, without values that give nothing', () => {
  const mapped = {
    ...provider,
    roles_claim: 'realm_access.roles',
    role_mappings: [{ value: 'staff', role: 'approver' }],
  } as typeof provider;
  const payload = {
    sub: 'anna',
    realm_access: { roles: ['staff', ...Array.from({ length: 500 }, (_, n) => `group-${n}`)] },
    scope: 'a b',
    clearances: ['pii'],
    email: 'anna@example.com',
  };
  const kept = keptClaims(payload, mapped);
  expect(kept).toEqual({ sub: 'anna', 'realm_access.roles': ['staff'], scope: ['a', 'b'], clearances: ['pii'] });
  expect(principalOf(JSON.parse(JSON.stringify(kept)), mapped)).toEqual(principalOf(payload, mapped));
});

test('a claim that gives roles and scopes is kept whole', () => {
  const both = { ...provider, roles_claim: 'groups', scopes_claim: 'groups' } as typeof provider;
  expect(keptClaims({ sub: 'anna', groups: ['x', 'y'] }, both)).toEqual({ sub: 'anna', groups: ['x', 'y'] });
});
