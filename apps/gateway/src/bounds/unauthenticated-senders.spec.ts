import { expect, test } from '@jest/globals';
import { UnauthenticatedSenders } from './unauthenticated-senders.js';

function senders(per_s_max: number) {
  const clock = { now_ms: 5_000 };
  return { clock, senders: new UnauthenticatedSenders(per_s_max, () => clock.now_ms) };
}

test('an address is barred after its last body of a second, others are not', () => {
  const { senders: counted } = senders(2);
  counted.refused('192.0.2.1');
  expect(counted.isBarred('192.0.2.1')).toBe(false);
  counted.refused('192.0.2.1');
  expect([counted.isBarred('192.0.2.1'), counted.isBarred('192.0.2.2')]).toEqual([true, false]);
});

test('the next second begins with nothing counted', () => {
  const { clock, senders: counted } = senders(1);
  counted.refused('192.0.2.1');
  clock.now_ms = 5_999;
  expect(counted.isBarred('192.0.2.1')).toBe(true);
  clock.now_ms = 6_000;
  expect(counted.isBarred('192.0.2.1')).toBe(false);
  counted.refused('192.0.2.2');
  expect([counted.isBarred('192.0.2.1'), counted.isBarred('192.0.2.2')]).toEqual([false, true]);
});

test('bodies beyond the maximum do not bar an address for longer', () => {
  const { clock, senders: counted } = senders(1);
  for (let n = 0; n < 50; n++) counted.refused('192.0.2.1');
  clock.now_ms = 6_000;
  expect(counted.isBarred('192.0.2.1')).toBe(false);
});
