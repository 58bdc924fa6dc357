import { expect, test } from 'vitest';
import { MemoryConfiguration } from '../testing/memory-configuration.js';
import { LINK_LIVES_MS, SignInLinks, signInUrl } from './sign-in-links.js';

const ADMIN = { kind: 'user' as const, id: 'admin', roles: ['admin'] };

function given() {
  const { state, writer } = MemoryConfiguration.service();
  const clock = { now_ms: 1_000_000 };
  return { clock, links: new SignInLinks({ state, writer, now_ms: () => clock.now_ms }) };
}

test('of two sessions that found a link unused, the first use on the log has it', async () => {
  const { links } = given();
  const { token } = await links.make(ADMIN);
  const [one, other] = [links.of(token), links.of(token)];
  if (!one || !other) throw new Error('the link is not known');
  expect(await links.use({ ...one }, 'first')).toBe(true);
  expect(await links.use({ ...other }, 'second')).toBe(false);
  expect(links.of(token)).toBeUndefined();
});

test('a link is valid for ten minutes', async () => {
  const { clock, links } = given();
  const { token } = await links.make(ADMIN);
  clock.now_ms += LINK_LIVES_MS - 1;
  expect(links.of(token)).toBeDefined();
  clock.now_ms += 1;
  expect(links.of(token)).toBeUndefined();
});

test('a link is shown for a gateway that listens on loopback, with its token in the fragment', () => {
  const shown = (host: string) => signInUrl(host, 7070, 'csl_x');
  for (const host of ['127.0.0.1', '0.0.0.0', '::']) expect(shown(host)).toBe('http://127.0.0.1:7070/sign-in#link=csl_x');
  expect([shown('localhost'), shown('::1')]).toEqual(['http://localhost:7070/sign-in#link=csl_x', 'http://[::1]:7070/sign-in#link=csl_x']);
  expect(shown('10.0.0.5')).toBeUndefined();
});
