import { expect, test, vi } from 'vitest';
import { Reachability } from './reachability.js';

const at = (ms: number) => new Date(ms).toISOString();

test('what is shown is from the last answer, not from when its absence was noticed', async () => {
  let now_ms = 1_000;
  let is_up = true;
  const reachability = new Reachability(
    () => (is_up ? Promise.resolve() : Promise.reject(new TypeError('failed to fetch'))),
    () => now_ms,
  );
  expect(reachability.reached_at).toBe(at(1_000));
  now_ms = 5_000;
  reachability.reached();
  now_ms = 60_000;
  vi.useFakeTimers();
  is_up = false;
  await reachability.check();
  expect([reachability.reachable, reachability.reached_at]).toEqual([false, at(5_000)]);
  is_up = true;
  now_ms = 61_000;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([reachability.reachable, reachability.reached_at]).toEqual([true, at(61_000)]);
  vi.useRealTimers();
});
