import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { McpSessions } from '../mcp/mcp-sessions.js';
import { COMMAND, HOSTILE, hostileCommand, type RigOptions, runOf, targetAt, tool, upstreamRig } from '../testing/upstream-rig.js';
import { Sandbox } from './sandbox.js';

const DIST = path.dirname(path.dirname(HOSTILE));
let sessions: McpSessions | undefined;
const start = async (more: Partial<RigOptions> = {}, command: object = {}) => {
  const commands = [hostileCommand('', { read: [DIST], env: ['API_KEY'], ...command })];
  ({ sessions } = await upstreamRig({ sandbox: 'bubblewrap', commands, ...more }));
};
afterEach(async () => {
  await sessions?.close();
  sessions = undefined;
});

const text = async (name: string, inputs: object = {}, more: object = {}) => {
  const { content } = await (sessions as McpSessions).call(targetAt(COMMAND, more), tool(name), inputs, runOf());
  return content.map((part) => ('text' in part ? part.text : part.type)).join();
};

describe('a sandbox is refused', () => {
  test('where its program does not exist', async () => {
    expect((await Sandbox.probe('bubblewrap', 'no-such-bwrap')).fault).toContain('not installed');
  });

  test('where its program runs, but does not isolate', async () => {
    const fake = path.join(mkdtempSync(path.join(tmpdir(), 'countersign-fake-')), 'bwrap');
    writeFileSync(fake, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n');
    chmodSync(fake, 0o755);
    expect((await Sandbox.probe('bubblewrap', fake)).fault).toContain('does not isolate');
  });

  test('where its program fails, with what it says', async () => {
    expect((await Sandbox.probe('bubblewrap', '/bin/false')).fault).toContain('does not run here');
  });

  test('and then no command runs', async () => {
    ({ sessions } = await upstreamRig({ commands: [] }));
    await expect(text('echo')).rejects.toMatchObject({ more: { effect: 'none' } });
  });
});

describe('a program in the sandbox', () => {
  beforeEach(() => start());

  test('is a user without rights, and sees no file of the machine besides those of the system', async () => {
    expect(await text('user')).toBe('65534');
    for (const file of ['/etc/passwd', '/etc/shadow', '/root/.bashrc', `/proc/${process.pid}/environ`, process.cwd()])
      expect([file, await text('read', { file })]).toEqual([file, expect.stringMatching(/^(ENOENT|EACCES|EPERM|EISDIR)$/)]);
    expect(await text('read', { file: '/proc/net/dev' })).not.toContain('eth');
    expect(await text('read', { file: '/proc/1/environ' })).not.toContain(process.cwd());
  });

  test('writes to its scratch folder alone, and no more than it holds', async () => {
    for (const file of ['/x', '/usr/x', '/etc/x', '/dev/x', `${DIST}/x`, '/home/x'])
      expect([file, await text('write', { file })]).toEqual([file, expect.stringMatching(/^(EROFS|EACCES|ENOENT|EPERM)$/)]);
    expect(await text('write', { file: '/tmp/x' })).toBe('written');
    expect(await text('write', { file: '/tmp/large', bytes: 80_000_000 })).toBe('ENOSPC');
    expect(await text('write', { file: '/dev/shm/large', bytes: 80_000_000 })).toBe('ENOSPC');
  });

  test('has no network', async () => {
    expect(await text('direct', { host: '127.0.0.1', port: 22 })).toBe('ECONNREFUSED');
    expect(await text('direct', { host: '8.8.8.8', port: 53 })).toMatch(/ENETUNREACH|EHOSTUNREACH/);
    expect(await text('connect', { host: 'example.com:443' })).toContain('ECONNREFUSED');
  });

  test('keeps its scratch folder from other tenants', async () => {
    await text('write', { file: '/tmp/of-acme' });
    expect(await text('read', { file: '/tmp/of-acme' }, { tenant_id: 'other' })).toBe('ENOENT');
  });
});

describe('a program in the sandbox with limits', () => {
  test('is ended beyond its memory, and another goes on', async () => {
    await start({ memory_mb: 200 });
    const pid = await text('user', {}, { tenant_id: 'other' });
    await expect(text('memory')).rejects.toThrow('more than 200 MB of memory');
    expect(await text('user', {}, { tenant_id: 'other' })).toBe(pid);
  });

  test('cannot start processes without end', async () => {
    await start({ pids_max: 64 });
    await text('fork', {}, { timeout_ms: 2_000 }).catch(() => undefined);
    const sleeping = readFileSync('/proc/loadavg', 'latin1').split(' ')[3]?.split('/')[1];
    expect(Number(sleeping)).toBeLessThan(5_000);
    await start();
    expect(await text('user')).toBe('65534');
  });
});

describe('hosts of a command', () => {
  let server: Server;
  let host: string;
  beforeEach(async () => {
    server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  test('are reached through the platform, and no others', async () => {
    await start({ private_hosts: [host] }, { hosts: [host, 'localhost.example'] });
    expect(await text('connect', { host })).toContain('200 OK');
    for (const other of ['127.0.0.1:22', '169.254.169.254:80', 'example.com:443', `localhost:${host.split(':')[1]}`, 'x'])
      expect([other, await text('connect', { host: other })]).toEqual([other, expect.stringMatching(/^403/)]);
    expect(await text('direct', { host: '127.0.0.1', port: Number(host.split(':')[1]) })).toBe('ECONNREFUSED');
    expect(await text('user')).toBe('65534');
  });

  test('of a private network are refused unless the installation lists them', async () => {
    await start({}, { hosts: [host] });
    expect(await text('connect', { host })).toMatch(/^403/);
  });
});

test('a program ends with its executor, also if that is killed', async () => {
  const rig = fileURLToPath(new URL('../testing/upstream-rig.js', import.meta.url));
  const program = `
    import { upstreamRig, targetAt, runOf, tool, hostileCommand, COMMAND } from ${JSON.stringify(rig)};
    const { sessions } = await upstreamRig({ sandbox: 'bubblewrap', commands: [hostileCommand('', { read: [${JSON.stringify(DIST)}] })] });
    await sessions.call(targetAt(COMMAND), tool('echo'), {}, runOf());
    process.stdout.write('ready\\n');
    setInterval(() => undefined, 1000);`;
  const executor = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => executor.stdout.once('data', resolve));
  const children = readFileSync(`/proc/${executor.pid}/task/${executor.pid}/children`, 'latin1').trim().split(' ');
  const [child = ''] = children;
  const inner = readFileSync(`/proc/${child}/task/${child}/children`, 'latin1').trim();
  expect([child, inner].every((pid) => existsSync(`/proc/${pid}`))).toBe(true);
  executor.kill('SIGKILL');
  for (const pid of [child, inner]) await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false);
});

function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

describe('a program with a state folder', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-state-'));
  const own = path.join(folder, 'acme', 'files', 'workspace');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => start({}, { state: { folder, mb_max: 2 } }));

  test('finds its files again in its next process, and others do not', async () => {
    expect(await text('write', { file: '/state/a' })).toBe('written');
    await sessions?.close();
    await start({}, { state: { folder } });
    expect(await text('read', { file: '/state/a' })).not.toMatch(/^E[A-Z]+$/);
    expect(await text('read', { file: '/state/a' }, { tenant_id: 'other' })).toBe('ENOENT');
    expect(await text('read', { file: '/state/a' }, { upstream: 'another' })).toBe('ENOENT');
    expect(await text('read', { file: '/state/a' }, { credentials: { user_id: '../workspace' } })).toBe('ENOENT');
    expect([statSync(own).mode & 0o777, readdirSync(folder).sort()]).toEqual([0o700, ['acme', 'other']]);
  });

  test('sees neither the folders of others nor where its own lies', async () => {
    for (const file of [own, folder, '/state/../acme', '/state/../../acme/files/workspace/a'])
      expect([file, await text('read', { file })]).toEqual([file, 'ENOENT']);
  });

  test('is ended when its files take too much, and not started before some are removed', async () => {
    await text('write', { file: '/state/large', bytes: 3_000_000 });
    await expect.poll(() => text('user').catch(({ message }: Error) => message), { timeout: 20_000 }).toContain('more than 2 MB');
    rmSync(path.join(own, 'large'));
    await expect.poll(() => text('user').catch(({ message }: Error) => message), { timeout: 20_000 }).toBe('65534');
  });
});
