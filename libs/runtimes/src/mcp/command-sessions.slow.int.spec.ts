import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ToolError } from '@countersign/tool-kit';
import { afterEach, describe, expect, test } from 'vitest';
import { COMMAND, hostileCommand, type RigOptions, runOf, targetAt, tool, upstreamRig } from '../testing/upstream-rig.js';
import type { McpSessions } from './mcp-sessions.js';
import type { UpstreamTarget } from './upstream.js';

let sessions: McpSessions;
let changed: string[];
const start = async (mode: string, more: Partial<RigOptions> = {}, command: object = {}) => {
  ({ sessions, changed } = await upstreamRig({ commands: [hostileCommand(mode, command)], ...more }));
};
afterEach(() => sessions.close());

const target = (more: Partial<UpstreamTarget> = {}) => targetAt(COMMAND, more);
const listed = (more: Partial<UpstreamTarget> = {}) => sessions.list(target(more), AbortSignal.timeout(30_000));
const text = async (name: string, of: Partial<UpstreamTarget> = {}, inputs: object = {}) => {
  const { content } = await sessions.call(target(of), tool(name), inputs, runOf());
  return content.map((part) => ('text' in part ? part.text : part.type)).join();
};
const faultOf = (name: string, of: Partial<UpstreamTarget> = {}, inputs: object = {}) =>
  text(name, of, inputs).then(
    (answer) => Promise.reject(new Error(`it answered ${answer}`)),
    (fault: ToolError) => fault,
  );
const bystander = { tenant_id: 'other' };

describe('a listing', () => {
  test('of a normal server is complete, over all its pages', async () => {
    await start('two-pages');
    expect(await listed()).toMatchObject({
      kind: 'complete',
      tools: [{ name: 'first', description: 'the tool first' }, { name: 'second' }],
      refused: [],
      server: { name: 'hostile', version: '9' },
    });
  });

  test('refuses a tool that breaks a bound, and no other', async () => {
    await start('big-description');
    expect(await listed()).toMatchObject({ kind: 'complete', tools: [{ name: 'good' }], refused: [{ name: 'loud' }] });
    await sessions.close();
    await start('odd-tools');
    const listing = await listed();
    if (listing.kind === 'failed') throw new Error(listing.reason);
    expect(listing.tools.map(({ name }) => name)).toEqual(['good']);
    expect(listing.refused).toHaveLength(6);
  });

  test('refuses both of two tools with one name', async () => {
    await start('twins');
    expect(await listed()).toMatchObject({ tools: [{ name: 'good' }], refused: [{ name: 'twin' }] });
  });

  test.each([
    ['many-tools', 'bounds', '1000 tools'],
    ['endless-pages', 'bounds', '100 pages'],
    ['same-cursor', 'bounds', 'repeats a cursor'],
    ['no-list', 'protocol', ''],
    ['odd-version', 'protocol', 'version'],
    ['fails-to-start', 'closed', 'code 3'],
    ['ends', 'closed', 'code 0'],
  ])('of a server that does %s fails as %s', async (mode, fault, reason) => {
    await start(mode);
    const listing = await listed();
    expect(listing).toMatchObject({ kind: 'failed', fault });
    expect(JSON.stringify(listing)).toContain(reason);
  });

  test('of a server that never answers ends in time', async () => {
    await start('mute');
    expect(await listed({ timeout_ms: 1_000 })).toMatchObject({ kind: 'failed', fault: 'timeout', is_retryable: true });
  });

  test('names what the installation lacks', async () => {
    await start('');
    expect(await sessions.list(targetAt({ kind: 'command', command: 'absent' }), AbortSignal.timeout(5_000))).toMatchObject({
      kind: 'failed',
      fault: 'configuration',
      reason: 'the installation has no command absent',
    });
  });
});

describe('a call', () => {
  test('is answered once, whatever else the server sends', async () => {
    await start('');
    expect(await text('twice')).toBe('first');
    expect(await text('echo', {}, { a: 1 })).toBe('{"a":1}');
    const both = await Promise.all([text('reused'), text('echo', {}, { b: 2 })]);
    expect(both[0]).toBe('own');
    expect(await text('some-garbage')).toBe('after garbage');
  });

  test('says whether a tool can have run', async () => {
    await start('');
    expect(await faultOf('refuses')).toMatchObject({ code: 'VALIDATION_ERROR', more: { effect: 'none' } });
    for (const [name, code] of [
      ['fails', 'PROVIDER_ERROR'],
      ['breaks', 'PROVIDER_ERROR'],
      ['wrong', 'PROVIDER_ERROR'],
      ['die', 'NETWORK_ERROR'],
    ] as const) {
      const fault = await faultOf(name);
      expect([name, fault.code, fault.more.effect]).toEqual([name, code, undefined]);
    }
  });

  test('that is not answered ends in time, and its answer is not sent for again', async () => {
    await start('');
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'countersign-calls-')), 'calls');
    const fault = await faultOf('counts', { timeout_ms: 300 }, { file });
    expect(fault).toMatchObject({ code: 'TIMEOUT' });
    expect(fault.more.effect).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe('called\n');
    expect(await text('echo')).toBe('{}');
  });

  test('that is cancelled ends at once', async () => {
    await start('');
    await text('echo');
    const abort = new AbortController();
    const call = sessions.call(target(), tool('stall'), {}, runOf({ signal: abort.signal }));
    setImmediate(() => abort.abort(new Error('cancelled')));
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
    const before = sessions.call(target(), tool('echo'), {}, runOf({ signal: abort.signal }));
    await expect(before).rejects.toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'none' } });
    expect(await text('echo')).toBe('{}');
  });

  test('with a result beyond its limit fails alone', async () => {
    await start('');
    const [fault, answer] = await Promise.all([faultOf('large'), text('echo')]);
    expect(fault).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('bytes') });
    expect(answer).toBe('{}');
    expect((await text('large', { max_output_bytes: 4_000_000, revision: 2 })).length).toBe(2_000_000);
  });

  test('may ask its client nothing', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'countersign-answers-')), 'answers');
    await start(file);
    expect(await text('asks')).toBe('asked');
    await expect.poll(() => readFileSync(file, 'utf8').trim().split('\n').length).toBe(3);
    const answers = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    for (const answer of answers) expect(answer).toMatchObject({ error: { code: -32601 } });
  });

  test('of a deep result does not harm this process', async () => {
    await start('');
    await sessions.call(target(), tool('deep'), {}, runOf()).catch(() => undefined);
    expect(await text('echo')).toBe('{}');
  });

  test('that changes the list of tools is reported at most once a second', async () => {
    await start('');
    await text('changes');
    await expect.poll(() => changed, { timeout: 10_000 }).toEqual(['acme files']);
  });
});

describe('a server that harms its process', () => {
  test.each([
    ['giant', 'line of more than'],
    ['garbage', 'lines that are no messages'],
    ['flood', 'floods'],
    ['memory', 'MB of memory'],
  ])('by %s is ended, and others go on', async (name, why) => {
    await start('', { memory_mb: 200 });
    const pid = await text('pid', bystander);
    const fault = await faultOf(name);
    expect(fault.code).toBe('NETWORK_ERROR');
    expect(fault.message).toContain(why);
    expect(await text('pid', bystander)).toBe(pid);
    expect(await text('echo')).toBe('{}');
  });

  test('by more processes than it may have is ended or refused them', async () => {
    await start('', { pids_max: 40 });
    const pid = await text('pid', bystander);
    await sessions.call(target(), tool('fork'), {}, runOf({ deadline_ms: Date.now() + 3_000 })).catch(() => undefined);
    expect(await text('pid', bystander)).toBe(pid);
  });

  test('by not reading is ended once too much waits for it', async () => {
    await start('');
    void text('deaf').catch(() => undefined);
    const input = { text: 'x'.repeat(1_000_000) };
    const faults = await Promise.all(Array.from({ length: 8 }, () => faultOf('echo', { timeout_ms: 10_000 }, input)));
    expect(faults.every(({ code }) => code === 'NETWORK_ERROR')).toBe(true);
  });
});

describe('a process', () => {
  test('is one for each tenant, user, revision and set of secrets', async () => {
    await start('', {}, { env: ['API_KEY'] });
    const of = (user_id: string | null, key = 'a') => ({ credentials: { user_id, env: { API_KEY: key } } });
    const targets = [of(null), of('ann'), of('bob'), of('ann', 'b'), { ...of(null), tenant_id: 'other' }, { ...of(null), revision: 2 }];
    const pids: string[] = [];
    for (const each of targets) pids.push(await text('pid', each));
    expect(new Set(pids).size).toBe(6);
    expect(await text('pid', of('ann'))).toBe(pids[1]);
  });

  test('has the secrets of its tenant and nothing of this environment', async () => {
    await start('', {}, { env: ['API_KEY'] });
    process.env.COUNTERSIGN_TEST_SECRET = 'of the installation';
    const environment = await text('environment', { credentials: { user_id: null, env: { API_KEY: 'key' } } });
    delete process.env.COUNTERSIGN_TEST_SECRET;
    expect(Object.keys(JSON.parse(environment)).sort()).toEqual(['API_KEY', 'HOME', 'LANG', 'PATH', 'PWD']);
    expect(await faultOf('echo', { revision: 2, credentials: { user_id: null, env: { LD_PRELOAD: 'x' } } })).toMatchObject({
      message: expect.stringContaining('takes no variable LD_PRELOAD'),
      more: { effect: 'none' },
    });
  });

  test('cannot put the secret that it was given into an error or a description', async () => {
    const credentials = { user_id: null, env: { API_KEY: 'key-of-acme' } };
    await start('secret', {}, { env: ['API_KEY'] });
    expect(JSON.stringify(await listed({ credentials }))).toContain('the key is [secret]');
    expect((await faultOf('die', { credentials })).message).not.toContain('key-of-acme');
    await sessions.close();
    await start('fails-to-start', {}, { env: ['API_KEY'] });
    const failed = JSON.stringify(await listed({ credentials }));
    expect(failed).toContain('withheld');
    expect(failed).not.toContain('key-of-acme');
  });

  test('that ends when it is asked in newer words is asked in older ones', async () => {
    await start('ends-at-once');
    expect(await text('echo')).toBe('{}');
  });

  test('is closed when it is idle, and started again', async () => {
    await start('', { idle_ms: 100 });
    const pid = await text('pid');
    await expect.poll(() => isRunning(Number(pid)), { timeout: 10_000 }).toBe(false);
    expect(await text('pid')).not.toBe(pid);
  });

  test('counts for its tenant alone: one tenant cannot take the processes of another', async () => {
    await start('', { per_tenant_max: 2 });
    const busy = [1, 2].map((revision) => text('stall', { revision, timeout_ms: 3_000 }).catch(() => undefined));
    await expect.poll(async () => (await faultOf('echo', { revision: 3, timeout_ms: 200 })).message).toContain('busy');
    expect(await text('echo', bystander)).toBe('{}');
    await Promise.all(busy);
    expect(await text('echo', { revision: 3 })).toBe('{}');
  });

  test('of a released revision ends, once its calls have ended', async () => {
    await start('');
    const pid = Number(await text('pid'));
    const running = text('stall', { timeout_ms: 1_000 }).catch(() => undefined);
    sessions.release('acme', 'files', 2);
    expect(isRunning(pid)).toBe(true);
    await running;
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}
