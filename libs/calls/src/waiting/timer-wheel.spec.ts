import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TimerWheel } from './timer-wheel.js';

describe('the timer wheel', () => {
  let now = 0;
  let wheel: TimerWheel;
  const pass = (ms: number) => {
    for (let elapsed_ms = 0; elapsed_ms < ms; elapsed_ms += 25) {
      now += 25;
      vi.advanceTimersByTime(25);
    }
  };
  beforeEach(() => {
    vi.useFakeTimers();
    now = 0;
    wheel = new TimerWheel(() => now);
  });
  afterEach(() => {
    wheel.close();
    vi.useRealTimers();
  });

  test('an item fires once, not before its time and at most one tick late', () => {
    const due: number[] = [];
    for (const delay of [1, 60, 1000, 90_000]) wheel.add({ slot: null, due: () => due.push(now) }, delay);
    pass(100_000);
    expect(due).toEqual([25, 75, 1000, 90_000]);
  });

  test('a removed item never fires', () => {
    const item = { slot: null, due: () => expect(0).toBe(1) };
    wheel.add(item, 100);
    wheel.remove(item);
    pass(1000);
    expect(item.slot).toBeNull();
  });

  test('an item that is added again moves to its new time', () => {
    const due: number[] = [];
    const item = { slot: null, due: () => due.push(now) };
    wheel.add(item, 100);
    wheel.add(item, 500);
    pass(1000);
    wheel.add(item, 100);
    pass(1000);
    expect(due).toEqual([500, 1100]);
  });

  test('a process that was paused catches up', () => {
    let due = 0;
    wheel.add({ slot: null, due: () => due++ }, 5000);
    now += 20_000;
    vi.advanceTimersByTime(25);
    expect(due).toBe(1);
  });
});
