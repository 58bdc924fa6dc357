import { expect, test } from 'vitest';
import { principalOf } from './token-claims.js';

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
