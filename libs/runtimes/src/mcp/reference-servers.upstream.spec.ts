import { execFileSync, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOf, targetAt, tool, upstreamRig } from '../testing/upstream-rig.js';
import type { McpSessions } from './mcp-sessions.js';
import type { UpstreamTarget } from './upstream.js';

const SERVERS = process.env.COUNTERSIGN_TEST_UPSTREAMS ?? '';
const program = (name: string) => `${SERVERS}/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
const python = `${SERVERS}/python/bin/python`;

let sessions: McpSessions;
beforeAll(async () => {
  if (SERVERS === '') throw new Error('run npm run test:upstreams: it installs the servers');
  const read = [SERVERS];
  const node = (name: string, ...more: string[]) => [process.execPath, program(name), ...more];
  const commands = [
    { name: 'everything', argv: node('everything'), read },
    { name: 'memory', argv: ['env', 'MEMORY_FILE_PATH=/tmp/memory.json', ...node('memory')], read },
    { name: 'filesystem', argv: node('filesystem', '/tmp'), read },
    {
      name: 'time',
      argv: [python, '-m', 'mcp_server_time', '--local-timezone', 'UTC'],
      read: [...read, path.dirname(path.dirname(realpathSync(python)))],
    },
  ];
  ({ sessions } = await upstreamRig({ sandbox: 'bubblewrap', commands, private_hosts: ['127.0.0.1'] }));
});
afterAll(() => sessions.close());

const at = (command: string, more: Partial<UpstreamTarget> = {}) => targetAt({ kind: 'command', command }, { upstream: command, ...more });
const call = (target: UpstreamTarget, name: string, inputs: object = {}, run = runOf()) => sessions.call(target, tool(name), inputs, run);
const text = async (target: UpstreamTarget, name: string, inputs: object = {}) => {
  const { content } = await call(target, name, inputs);
  return content.map((part) => ('text' in part ? part.text : part.type)).join();
};

/** Pids of processes whose command line has this text, started by this process. */
const pidsOf = (part: string): number[] =>
  execFileSync('/usr/bin/pgrep', ['-f', '--', part], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number)
    .filter((pid) => pid !== process.pid);

test.each([
  ['everything', 13],
  ['memory', 9],
  ['filesystem', 14],
  ['time', 2],
])('%s lists its %i tools in the sandbox', async (command, count) => {
  const listing = await sessions.list(at(command), AbortSignal.timeout(60_000));
  if (listing.kind === 'failed') throw new Error(listing.reason);
  expect([listing.tools.length, listing.refused]).toEqual([count, []]);
});

test('everything returns text, structured content, an image and progress', async () => {
  const everything = at('everything');
  expect(await text(everything, 'echo', { message: 'hello' })).toBe('Echo: hello');
  expect((await call(everything, 'get-structured-content', { location: 'New York' })).structured).toMatchObject({
    conditions: expect.any(String),
  });
  expect((await call(everything, 'get-tiny-image')).content).toContainEqual(
    expect.objectContaining({ type: 'attachment', content_type: 'image/png' }),
  );
  const reports: number[] = [];
  await call(
    everything,
    'trigger-long-running-operation',
    { duration: 1, steps: 4 },
    runOf({ progress: (fraction) => void reports.push(fraction) }),
  );
  expect(reports).toContain(0.5);
});

test('everything sees nothing of the environment of the executor', async () => {
  expect(Object.keys(JSON.parse(await text(at('everything'), 'get-env'))).sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD']);
});

test('time answers from Python', async () => {
  expect(await text(at('time'), 'convert_time', { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' })).toContain(
    '21:00',
  );
});

test('filesystem reads and writes its folder, and no other', async () => {
  await call(at('filesystem'), 'write_file', { path: '/tmp/a.txt', content: 'of acme' });
  expect(await text(at('filesystem'), 'read_text_file', { path: '/tmp/a.txt' })).toContain('of acme');
  await expect(call(at('filesystem'), 'read_text_file', { path: '/etc/hostname' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
});

test('two tenants on one stateful server have a process and a memory each', async () => {
  const entities = [{ name: 'secret of acme', entityType: 'note', observations: ['x'] }];
  await call(at('memory'), 'create_entities', { entities });
  expect(await text(at('memory', { tenant_id: 'other' }), 'read_graph')).not.toContain('acme');
  expect(await text(at('memory'), 'read_graph')).toContain('secret of acme');
  expect(pidsOf('server-memory').length).toBeGreaterThanOrEqual(2);
});

describe('a process', () => {
  test('that is killed during a call loses its answer, and the next call has another', async () => {
    const target = at('everything', { tenant_id: 'killed' });
    await text(target, 'echo', { message: 'x' });
    const before = new Set(pidsOf('server-everything'));
    const running = call(target, 'trigger-long-running-operation', { duration: 20, steps: 2 });
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await expect(running).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: expect.not.objectContaining({ effect: 'none' }) });
    expect(await text(target, 'echo', { message: 'again' })).toBe('Echo: again');
  });

  test('that stalls is given up at the timeout, and replaced', async () => {
    const target = at('time', { tenant_id: 'stalled', timeout_ms: 1_500 });
    await text({ ...target, timeout_ms: 20_000 }, 'get_current_time', { timezone: 'UTC' });
    const pids = pidsOf('mcp_server_time');
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await expect(call(target, 'get_current_time', { timezone: 'UTC' })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect
      .poll(() => text({ ...target, timeout_ms: 20_000 }, 'get_current_time', { timezone: 'UTC' }), { timeout: 60_000 })
      .toContain('UTC');
  });
});

describe('everything over HTTP', () => {
  const free = () =>
    new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as AddressInfo;
        probe.close(() => resolve(port));
      });
    });
  const serve = async (port: number) => {
    const env = { PATH: process.env.PATH, PORT: String(port) };
    const server = spawn(process.execPath, [program('everything'), 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise<void>((resolve) => server.stderr.on('data', (bytes: Buffer) => /listening/i.test(bytes.toString()) && resolve()));
    return server;
  };
  const ended = (server: Awaited<ReturnType<typeof serve>>) => {
    const end = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    return end;
  };

  test('goes on in a new session after the server was killed; what ran then is lost', async () => {
    const port = await free();
    let server = await serve(port);
    const target = targetAt({ kind: 'http', url: `http://127.0.0.1:${port}/mcp` }, { timeout_ms: 15_000 });
    expect(await sessions.list(target, AbortSignal.timeout(30_000))).toMatchObject({ kind: 'complete' });
    const running = call(
      target,
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      runOf({ progress: () => void ended(server) }),
    );
    await expect(running).rejects.toMatchObject({ more: expect.not.objectContaining({ effect: 'none' }) });
    await expect(call(target, 'echo', { message: 'x' })).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'none' } });
    server = await serve(port);
    expect(await text(target, 'echo', { message: 'again' })).toBe('Echo: again');
    await ended(server);
  });
});
