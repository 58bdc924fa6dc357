import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMAND, hostileCommand, runOf, targetAt, tool, upstreamRig } from '../testing/upstream-rig.js';
import type { McpSessions } from './mcp-sessions.js';

let sessions: McpSessions;
beforeEach(async () => {
  ({ sessions } = await upstreamRig({ commands: [hostileCommand('')] }));
});
afterEach(() => sessions.close());

const pid = async (run = runOf(), timeout_ms = 20_000): Promise<number> => {
  const { content } = await sessions.call(targetAt(COMMAND, { timeout_ms }), tool('pid'), {}, run);
  return Number((content[0] as { text: string }).text);
};

test.each<[string, () => Promise<number>]>([
  ['its own limit', () => pid(runOf(), 300)],
  ['the limit of its executor', () => pid(runOf({ signal: AbortSignal.timeout(300) }))],
])('a process that stalls beyond %s is replaced before anything else is sent to it', async (_title, call) => {
  const first = await pid();
  process.kill(first, 'SIGSTOP');
  await expect(call()).rejects.toMatchObject({ more: expect.not.objectContaining({ effect: 'none' }) });
  // Sent to the stalled one, a write would be in doubt.
  const next = await Promise.all([pid(), pid(), pid()]);
  expect([new Set(next).size, next[0] === first]).toEqual([1, false]);
});

test('a process that answers is kept after a call that took too long', async () => {
  const first = await pid();
  const stalled = sessions.call(targetAt(COMMAND, { timeout_ms: 300 }), tool('stall'), {}, runOf());
  await expect(stalled).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await pid()).toBe(first);
});
