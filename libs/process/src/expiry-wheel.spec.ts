import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExpiryWheel } from './expiry-wheel.js';

test('each item is due once, never early, at the first turn at or after its time', () => {
  const steps = fc.array(fc.record({ add: fc.array(fc.nat(20_000), { maxLength: 5 }), turn_by: fc.nat(4000) }), { maxLength: 20 });
  fc.assert(
    fc.property(steps, (all) => {
      const wheel = new ExpiryWheel<number>();
      const waiting = new Set<number>();
      const times: number[] = [];
      let now_ms = 5000;
      for (const { add, turn_by } of all) {
        for (const at_ms of add) {
          wheel.add(at_ms, times.length);
          waiting.add(times.length);
          times.push(at_ms);
        }
        now_ms += turn_by;
        const due = wheel.turn(now_ms);
        const expected = [...waiting].filter((item) => (times[item] as number) <= now_ms);
        expect(due.sort((a, b) => a - b)).toEqual(expected);
        for (const item of due) waiting.delete(item);
        expect(wheel.size).toBe(waiting.size);
      }
    }),
  );
});

test('a clock that jumps by years costs nothing, and one that moves back makes nothing early', () => {
  const wheel = new ExpiryWheel<string>();
  wheel.add(1000, 'a');
  expect(wheel.turn(1e14)).toEqual(['a']);
  wheel.add(2000, 'late');
  wheel.add(1e14 + 5000, 'b');
  expect(wheel.turn(1e14 + 1)).toEqual(['late']);
  expect(wheel.turn(500)).toEqual([]);
  expect(wheel.turn(1e14 + 5000)).toEqual(['b']);
});

test('entries that are no longer awaited are removed', () => {
  const wheel = new ExpiryWheel<number>();
  for (let at = 0; at < 100; at++) wheel.add(at * 100, at);
  wheel.retain((item) => item % 10 === 0);
  expect(wheel.size).toBe(10);
  expect(wheel.turn(10_000)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
});
