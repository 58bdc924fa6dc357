import { afterEach, expect, test } from 'vitest';
import { ChangedLists } from './changed-lists.js';
import { type OpenUpstreamSessions, openUpstreamSessions } from './open-upstream-sessions.js';
import { noUpstreams, type UpstreamSettings } from './upstream-settings.js';

const warned: object[] = [];
let open: OpenUpstreamSessions | undefined;
afterEach(() => open?.sessions.close());

const command = { name: 'time', argv: [process.execPath], env: [], hosts: [], read: [] };
const opened = async (more: Partial<UpstreamSettings>, sandbox_program?: string) => {
  const logger = { warn: (fields: object) => void warned.push(fields) };
  const around = { logger, events: new ChangedLists(), proxies: undefined, ...(sandbox_program ? { sandbox_program } : {}) };
  open = await openUpstreamSessions({ ...noUpstreams(), ...more }, around);
  return open;
};
const target = {
  tenant_id: 'acme',
  upstream: 'time',
  revision: 1,
  place: { kind: 'command' as const, command: 'time' },
  credentials: { user_id: null },
  timeout_ms: 1_000,
  max_output_bytes: 1_000,
};

test.each<[string, string, RegExp]>([
  ['is not installed', 'no-such-bwrap', /bubblewrap is not installed/],
  ['does not run here', '/bin/false', /bubblewrap does not run here/],
])('readiness names commands whose sandbox %s, and none is started', async (_title, program, reason) => {
  const { unhealthy, sessions } = await opened({ commands: [command] }, program);
  expect(unhealthy).toEqual([{ pack: 'upstream-commands', reason: expect.stringMatching(reason) }]);
  expect(warned.at(-1)).toMatchObject({ event: 'upstream_sandbox_unavailable', reason: expect.stringMatching(reason) });
  expect(sessions.unavailable('command')).toMatch(reason);
  expect(sessions.unavailable('http')).toBeUndefined();
  expect(await sessions.list(target, AbortSignal.timeout(5_000))).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) });
});

test('readiness names commands that run without a sandbox for as long as they do', async () => {
  const { unhealthy, sessions } = await opened({ commands: [command], sandbox: 'none' });
  expect(unhealthy).toEqual([{ pack: 'upstream-commands', reason: expect.stringContaining('COUNTERSIGN_UPSTREAM_SANDBOX is none') }]);
  expect(sessions.unavailable('command')).toBeUndefined();
});

test('without commands there is nothing to name', async () => {
  const { unhealthy } = await opened({}, 'no-such-bwrap');
  expect(unhealthy).toEqual([]);
});
