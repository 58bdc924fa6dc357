import { expect, test } from 'vitest';
import { SignInAttempts } from './sign-in-attempts.js';

function given(attempts_per_address_max: number, attempts_max: number) {
  const clock = { now_ms: 0 };
  const attempts = new SignInAttempts({ attempts_per_address_max, attempts_max }, () => clock.now_ms);
  return { clock, tries: (address: string, count: number) => Array.from({ length: count }, () => attempts.take(address) === undefined) };
}

test('an address has its maximum a minute; another address has its own', () => {
  const { clock, tries } = given(2, 100);
  expect(tries('a', 3)).toEqual([true, true, false]);
  expect(tries('b', 1)).toEqual([true]);
  clock.now_ms = 59_999;
  expect(tries('a', 1)).toEqual([false]);
  clock.now_ms = 60_000;
  expect(tries('a', 1)).toEqual([true]);
});

test('all addresses together have a maximum, and a refused attempt does not count', () => {
  const { clock, tries } = given(2, 3);
  expect(tries('a', 50).filter(Boolean)).toHaveLength(2);
  expect([...tries('b', 1), ...tries('c', 1)]).toEqual([true, false]);
  clock.now_ms = 60_000;
  expect(tries('c', 1)).toEqual([true]);
});

test('addresses beyond the number that is counted do not get around the maximum of the gateway', () => {
  const { tries } = given(1, 20_000);
  let accepted = 0;
  for (let n = 0; n < 25_000; n++) accepted += tries(`address ${n % 12_000}`, 1).filter(Boolean).length;
  expect(accepted).toBeLessThanOrEqual(20_000);
});
