import { expect, test } from 'vitest';
import { initialConfiguration } from '../state/configuration.js';
import { setSignInLink, useSignInLink } from './sign-in-links.js';

function given() {
  const state = initialConfiguration();
  const by = { kind: 'user' as const, id: 'admin', roles: [] };
  return {
    state,
    link: (id: string, created_at_ms = 0, tenant_id = 'default') =>
      setSignInLink(state, {
        ...{ meta: { tenant_id } as never, link_id: id, token_hash: `hash of ${id}`, key_id: 'k', by },
        ...{ created_at_ms, expires_at_ms: created_at_ms + 600_000 },
      }),
    use: (link_id: string, session_id: string, tenant_id = 'default') =>
      useSignInLink(state, { meta: { tenant_id } as never, link_id, session_id, used_at_ms: 1 }),
    usedBy: (id: string) => state.sign_in_links?.get(`hash of ${id}`)?.used_by,
  };
}

test('the first use of a link counts, also if the link is recorded again', () => {
  const { link, use, usedBy } = given();
  link('a');
  expect(usedBy('a')).toBe(null);
  use('a', 'first');
  use('a', 'second');
  link('a');
  use('a', 'third');
  expect(usedBy('a')).toBe('first');
});

test('a record of another tenant uses no link', () => {
  const { link, use, usedBy } = given();
  link('a');
  use('a', 'other', 'evil');
  expect(usedBy('a')).toBe(null);
});

test('expired links and the oldest beyond 100 are forgotten', () => {
  const { state, link } = given();
  for (let n = 0; n < 150; n++) link(`n${n}`);
  expect([state.sign_in_links?.size, state.sign_in_links?.has('hash of n0'), state.sign_in_links?.has('hash of n149')]).toEqual([
    100,
    false,
    true,
  ]);
  link('later', 600_000);
  expect(state.sign_in_links?.size).toBe(1);
});
