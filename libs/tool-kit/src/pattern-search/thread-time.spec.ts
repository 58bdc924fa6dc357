import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ownThreadId, threadTimeMs } from './thread-time.js';

test.runIf(process.platform === 'linux')('the time of a thread is what it computed, not what it waited', async () => {
  const thread_id = ownThreadId();
  const before_ms = threadTimeMs(thread_id);
  await sleep(300);
  const slept_ms = threadTimeMs(thread_id) - before_ms;
  const until_ms = performance.now() + 300;
  while (performance.now() < until_ms);
  const computed_ms = threadTimeMs(thread_id) - before_ms - slept_ms;
  expect(slept_ms).toBeLessThan(computed_ms);
});

test('without a kernel thread id it is wall time', async () => {
  const before_ms = threadTimeMs(undefined);
  await sleep(20);
  expect(threadTimeMs(undefined) - before_ms).toBeGreaterThan(15);
});
