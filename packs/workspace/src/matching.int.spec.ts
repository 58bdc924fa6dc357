import { testContext } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Matching } from './matching.js';

const forEver = `${'a'.repeat(60)}!`;
const late = { code: 'TIMEOUT', more: { class: 'validation', effect: 'none' } };

let matching: Matching | undefined;
const match = (source: string, ctx = testContext()) => {
  matching = new Matching(new RegExp(source), ctx);
  return matching;
};
// The thread is real; what passes of its time is the spec's to say.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
afterEach(async () => {
  jest.useRealTimers();
  await matching?.close();
});

test('time in which nothing is matched does not count', async () => {
  const one = match('^a');
  jest.advanceTimersByTime(20_000);
  expect(await one.whole(['a', 'b'])).toEqual([true, false]);
  jest.advanceTimersByTime(9_000);
  expect(await one.lines('b\na', 5)).toMatchObject([{ line: 2, column: 1 }]);
});

test('a pattern has 5 s for all that it is matched with, however many files that is', async () => {
  const one = match('(a+)+$');
  for (const text of ['a', 'b']) {
    const asked = one.whole([text]);
    jest.advanceTimersByTime(2_000);
    await asked;
  }
  const asked = one.whole([forEver]);
  const ended = expect(asked).rejects.toMatchObject(late);
  jest.advanceTimersByTime(1_001);
  await ended;
  await expect(one.whole(['a'])).rejects.toMatchObject(late);
});

test('the deadline of the call comes first where it is nearer', async () => {
  const asked = match('(a+)+$', testContext({ deadline_ms: Date.now() + 300 })).whole([forEver]);
  const ended = expect(asked).rejects.toMatchObject(late);
  jest.advanceTimersByTime(301);
  await ended;
});
