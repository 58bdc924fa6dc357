import { expect, test } from 'vitest';
import { retried, retryPlans } from './retries.js';

const AT_ONCE = retryPlans.kafka_admin;
const FOR_EVER = { ...AT_ONCE, retries: Number.POSITIVE_INFINITY };
const LONG = { ...FOR_EVER, minTimeout: 3_600_000, maxTimeout: 3_600_000 };

/** Fails this many times, then resolves with the number of its attempt. */
function failing(times: number): (attempt: number) => Promise<number> {
  return async (attempt) => {
    if (attempt <= times) throw new Error(`fault ${attempt}`);
    return attempt;
  };
}

test('work is repeated until it succeeds, and each fault is reported with its attempt', async () => {
  const faults: string[] = [];
  const onFault = (fault: Error, attempt: number) => faults.push(`${attempt}: ${fault.message}`);
  await expect(retried(FOR_EVER, failing(30), { onFault })).resolves.toBe(31);
  expect(faults).toHaveLength(30);
  expect(faults[0]).toBe('1: fault 1');
});

test('after the last attempt of a plan the last fault is thrown', async () => {
  await expect(retried(AT_ONCE, failing(2))).resolves.toBe(3);
  await expect(retried(AT_ONCE, failing(3))).rejects.toThrow('fault 3');
});

test('a fault that is not retryable, and a fault of the code, are thrown at once', async () => {
  await expect(retried(LONG, failing(1), { isRetryable: () => false })).rejects.toThrow('fault 1');
  const broken = () => Promise.reject(new TypeError('x is not a function'));
  await expect(retried(LONG, broken)).rejects.toThrow('x is not a function');
});

test('the signal ends a pause, and no further attempt starts', async () => {
  const stopping = new AbortController();
  let attempts = 0;
  const work = async () => {
    attempts++;
    throw new Error('unavailable');
  };
  const ended = retried(LONG, work, { signal: stopping.signal, onFault: () => setImmediate(() => stopping.abort(new Error('stopped'))) });
  await expect(ended).rejects.toThrow('stopped');
  expect(attempts).toBe(1);
});

test('work that completed when the signal arrived stays completed', async () => {
  const stopping = new AbortController();
  const work = async () => {
    stopping.abort();
    return 'done';
  };
  await expect(retried(LONG, work, { signal: stopping.signal })).resolves.toBe('done');
});

test('a fault after the signal is followed by no pause', async () => {
  const stopping = new AbortController();
  const work = async () => {
    stopping.abort(new Error('stopped'));
    throw new Error('unavailable');
  };
  await expect(retried(LONG, work, { signal: stopping.signal })).rejects.toThrow('stopped');
});

test('a plan never pauses longer than its limit, however often it repeats', async () => {
  for (const plan of Object.values(retryPlans)) {
    expect(plan.maxTimeout).toBeGreaterThanOrEqual(plan.minTimeout);
    expect(plan.maxTimeout).toBeLessThanOrEqual(5_000);
  }
});
