import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BackgroundPace } from './background-pace.js';

async function busy(): Promise<void> {
  for (const end = performance.now() + 3; performance.now() < end; );
}

test('work rests after each piece, whoever requests the next; a stop ends the rest', async () => {
  const stopping = new AbortController();
  const pace = new BackgroundPace(100_000, stopping.signal);
  const done: string[] = [];
  await pace.run(async () => {
    await busy();
    done.push('first');
  });
  const second = pace.run(async () => void done.push('second'));
  for (let n = 0; n < 50; n++) await turn();
  expect(done).toEqual(['first']);
  stopping.abort();
  await second;
  expect([done, pace.isStopped]).toEqual([['first', 'second'], true]);
  expect(pace.spent_ms).toBeGreaterThanOrEqual(3);
});

test('pieces of work run one after the other, and a failing one delays nothing', async () => {
  const pace = new BackgroundPace(0, new AbortController().signal);
  let running = 0;
  const piece = async (fails: boolean) => {
    expect(++running).toBe(1);
    await turn();
    running--;
    if (fails) throw new Error('unavailable');
  };
  const runs = [false, true, false].map((fails) => pace.run(() => piece(fails)));
  expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
