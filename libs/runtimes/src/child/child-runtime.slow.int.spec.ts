import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type RunContext, ToolError } from '@countersign/tool-kit';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, describe, expect, test } from 'vitest';
import { machineMs } from '../machine-clock.js';
import { isKnownDead, type ProcessIdentity } from '../process-identity.js';
import { ChildRuntime, type ChildRuntimeOptions } from './child-runtime.js';
import { UnsentAnswer } from './unsent-answer.js';

const module = new URL('../testing/odd-pack.js', import.meta.url).href;
const runtimes: ChildRuntime[] = [];
afterAll(() => Promise.all(runtimes.map((each) => each.close())));

function child(options: Partial<ChildRuntimeOptions> = {}, of = module): ChildRuntime {
  const runtime = new ChildRuntime(of, options);
  runtimes.push(runtime);
  return runtime;
}

const job = (act: string, context: RunContext = testContext()) => ({ tool: 'odd_read@1.0.0', input: { act }, context });
const write = (act: string) => ({ ...job(act), tool: 'odd_write@1.0.0' });
const pidOf = async (runtime: ChildRuntime, context?: RunContext) => ((await runtime.run(job('pid', context))) as { pid: number }).pid;
const faultOf = (outcome: Promise<unknown>): Promise<ToolError> =>
  outcome.then(
    (answer) => Promise.reject(new Error(`it answered ${JSON.stringify(answer)}`)),
    (thrown: ToolError) => thrown,
  );
const shared = child();

test('a pack is loaded in a child, which lists its contents', async () => {
  const { name, version, settings, folders, tools } = await shared.load();
  expect({ name, version, settings, folders }).toEqual({
    name: 'odd',
    version: '3.1.4',
    settings: { ODD_ROOT: undefined, ODD_SPEED: 'slow' },
    folders: [{ variable: 'ODD_ROOT', sharing: 'ODD_SHARED' }],
  });
  expect(tools.map(({ contract, asks }) => [contract.name, [...asks]])).toEqual([
    ['odd_read', []],
    ['odd_write', ['compensate', 'reconcile', 'verify', 'changedNothing', 'sanity']],
  ]);
});

test('each tenant has its own child, which no other tenant uses', async () => {
  const [first, again] = [await pidOf(shared), await pidOf(shared)];
  expect(again).toBe(first);
  expect(first).not.toBe(process.pid);
  expect(await pidOf(shared, testContext({ tenant_id: 'other' }))).not.toBe(first);
});

test('a child receives only the environment variables that every program needs', async () => {
  const runtime = child({ environment: { ...process.env, COUNTERSIGN_MASTER_KEY: 'secret' } });
  const { names } = (await runtime.run(job('environment'))) as { names: string[] };
  expect(names).toContain('PATH');
  expect(names.filter((name) => !/^(PATH|HOME|LANG|LC_ALL|TZ|TMPDIR|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS)$/.test(name))).toEqual([]);
});

test('a tool receives its complete context, and its logs, progress and attachments arrive', async () => {
  const reports: unknown[] = [];
  const context = testContext({
    settings: { ODD_SPEED: 'fast' },
    tenantFolder: async (variable) => `/folders/${variable}`,
    secrets: { get: async (name) => `${name}-value` },
    log: (message, fields) => reports.push([message, fields]),
    progress: (fraction, message) => reports.push([fraction, message]),
    attach: async ({ kind, content_type, data }) => ({ kind, content_type, url: Buffer.from(data).toString(), bytes: data.length }),
  });
  expect(await shared.run(job('context', context))).toEqual({
    tenant_id: 'test',
    principal: context.principal,
    idempotency_key: context.idempotency_key,
    settings: { ODD_SPEED: 'fast' },
    folder: '/folders/ODD_ROOT',
    attached: { kind: 'blob', content_type: 'text/plain', url: 'bytes', bytes: 5 },
    secret: 'token-value',
  });
  expect(reports).toEqual([
    ['a line', { at: 1 }],
    [1, 'done'],
  ]);
});

test('an error of the context reaches the tool as it was thrown', async () => {
  expect(await faultOf(shared.run(job('undeclared')))).toMatchObject({ code: 'AUTH_REQUIRED', more: { effect: 'none' } });
});

test('an error of a tool arrives complete, with or without a promise about its effect', async () => {
  expect(await faultOf(shared.run(job('refuse')))).toMatchObject({
    countersign_tool_error: true,
    code: 'RATE_LIMIT',
    message: 'slow down',
    more: { retry_after_s: 2, effect: 'none', retryable: true, details: { left: 0 } },
  });
  const thrown = await faultOf(shared.run(job('throw')));
  expect(thrown).not.toBeInstanceOf(ToolError);
  expect(thrown.message).toBe('oops');
});

test('an output that cannot be sent states the reason', async () => {
  const unsent = async (act: string) => (await shared.run(job(act))) as UnsentAnswer;
  expect(await unsent('huge')).toMatchObject({ why: 'too_large', small_json: '{"ok":true}' });
  expect(await unsent('huge')).toBeInstanceOf(UnsentAnswer);
  expect(await unsent('bigint')).toMatchObject({ why: 'not_json', message: 'a BigInt cannot be written as JSON' });
  expect(await unsent('getter')).toMatchObject({ why: 'unreadable', message: 'do not look' });
  expect(await shared.run(job('nothing'))).toBeNull();
});

test('every other request reaches its tool, too', async () => {
  const effect = { call_id: '0-1', idempotency_key: 'k', inputs: { act: 'pid' }, output: { pid: 1 }, version: '1.0.0' };
  expect(await shared.compensate(write('pid'), effect)).toEqual({ undone: effect });
  expect(await shared.reconcile(write('pid'))).toEqual({ kind: 'did_not_happen' });
  expect(await shared.verify(write('pid'), {})).toEqual({ kind: 'contradicted', why: 'not there' });
  expect([await shared.changedNothing(write('pid'), { same: 1 }), await shared.changedNothing(write('pid'), {})]).toEqual([true, false]);
  expect(await shared.sanity(write('pid'), { pid: 1 })).toEqual([
    { path: '', predicate: 'no_pid', severity: 'warn', message: 'no_pid does not hold' },
  ]);
});

test('an abort reaches the tool with its reason', async () => {
  const controller = new AbortController();
  const running = faultOf(shared.run(job('until_aborted', testContext({ signal: controller.signal }))));
  await shared.run(job('pid'));
  controller.abort(new Error('lease_lost'));
  expect(await running).toMatchObject({ code: 'CANCELLED', message: 'lease_lost' });
});

describe('a tool that damages its process ends only the calls of that process', () => {
  const abortSoon = () => AbortSignal.timeout(300);
  test.each([
    ['blocks its thread for ever', 'block', /a tool blocked its thread/],
    ['takes memory without end', 'leak', /used more than 300 MB/],
    ['takes 2 GB at once', 'take_2_gb', /used more than 300 MB/],
    ['fills its heap', 'fill_heap', /ended with SIGABRT|used more than 300 MB/],
    ['calls process.exit', 'exit', /ended with code 7/],
    ['throws outside of its promise', 'throw_outside', /outside of its promise/],
    ['leaves a rejection to nobody', 'reject_outside', /nobody waits for this/],
    ['writes garbage to the channel', 'garbage', /that is not JSON/],
  ])('one that %s', async (_what, act, why) => {
    const runtime = child({ memory_mb: 300, blocked_ms: 500 });
    const other = testContext({ tenant_id: 'other' });
    const before = await pidOf(runtime);
    const beside = await pidOf(runtime, other);
    const waiting = faultOf(runtime.run(job('never')));
    const faults = [
      await faultOf(runtime.run(job(act, testContext({ signal: act === 'block' ? abortSoon() : other.signal })))),
      await waiting,
    ];
    for (const fault of faults) {
      expect(fault).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringMatching(why) });
      expect(fault.more.effect).toBeUndefined();
    }
    expect(await pidOf(runtime, other)).toBe(beside);
    expect(await pidOf(runtime)).not.toBe(before);
  });
});

test('stderr of a child is withheld once it was given a secret', async () => {
  const context = testContext({ secrets: { get: async () => 'a-secret-value' } });
  const fault = await faultOf(child().run(job('spill', context)));
  expect(fault.message).toMatch(/ended with code 7; its output is withheld/);
  expect(fault.message).not.toContain('a-secret-value');
});

describe('a child that cannot be used', () => {
  test.each([
    ['speaks another version', { program: new URL('../testing/other-version.js', import.meta.url) }, module, /protocol version 99, not 3/],
    ['speaks no protocol', { program: new URL('../testing/no-protocol.js', import.meta.url) }, module, /that is not JSON/],
    ['has no program', { program: new URL('./absent.js', import.meta.url) }, module, /Cannot find module/],
    ['says nothing', { program: new URL('../testing/silent.js', import.meta.url), start_ms: 700 }, module, /did not load its pack in time/],
    ['has a pack that throws', {}, new URL('../testing/broken-pack.js', import.meta.url).href, /its licence has run out/],
    ['has no pack', {}, new URL('../machine-clock.js', import.meta.url).href, /exports no pack/],
  ])('one that %s says why, has begun nothing, and makes its pack unhealthy', async (_what, options, of, why) => {
    const runtime = child(options, of);
    await expect(runtime.load()).rejects.toThrow(why);
    expect(runtime.unhealthy).toMatch(why);
    expect(await faultOf(runtime.run(job('pid')))).toMatchObject({ code: 'NETWORK_ERROR', more: { effect: 'none' } });
  });

  test('one that wrote invalid messages makes its pack unhealthy until another one has responded', async () => {
    const runtime = child();
    await faultOf(runtime.run(job('garbage')));
    expect(runtime.unhealthy).toMatch(/that is not JSON/);
    await pidOf(runtime);
    expect(runtime.unhealthy).toBeUndefined();
  });
});

describe('the recorded process of a write', () => {
  test('it runs in the named process, or it has not begun', async () => {
    const runtime = child();
    const place = await runtime.place('test');
    expect(await runtime.run({ ...job('pid'), place })).toEqual({ pid: place.pid });
    expect(isKnownDead(place)).toBe(false);
    await faultOf(runtime.run(job('exit')));
    expect(isKnownDead(place)).toBe(true);
    for (const named of [place, null])
      expect(await faultOf(runtime.run({ ...job('pid'), place: named }))).toMatchObject({
        code: 'NETWORK_ERROR',
        more: { effect: 'none' },
      });
  });

  test('a child begins nothing after the lease of its executor has expired', async () => {
    expect(await shared.run({ ...job('pid'), begin_before_ms: machineMs() + 10_000 })).toHaveProperty('pid');
    const late = await faultOf(shared.run({ ...job('pid'), begin_before_ms: machineMs() }));
    expect(late).toMatchObject({
      code: 'NETWORK_ERROR',
      message: /lease of the executor expired/,
      more: { effect: 'none', retryable: true },
    });
  });
});

test('a child with a blocked thread still ends when its executor is killed', async () => {
  const executor = spawn(process.execPath, ['--no-warnings', fileURLToPath(new URL('../testing/abandoned.js', import.meta.url))]);
  const [line] = (await once(executor.stdout, 'data')) as [Buffer];
  const place = JSON.parse(line.toString()) as ProcessIdentity;
  expect(isKnownDead(place)).toBe(false);
  executor.kill('SIGKILL');
  while (!isKnownDead(place)) await new Promise((resolve) => setTimeout(resolve, 20));
});

describe('starting and stopping children', () => {
  test('an idle child is ended, and another one started on demand', async () => {
    const runtime = child({ idle_ms: 200 });
    const place = await runtime.place('test');
    while (!isKnownDead(place)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await pidOf(runtime)).not.toBe(place.pid);
  });

  test('beyond the limit the child that was idle longest is ended, and if none is idle nothing begins', async () => {
    const runtime = child({ children_max: 2 });
    const of = (tenant_id: string) => testContext({ tenant_id });
    const first = await runtime.place('a');
    await pidOf(runtime, of('a'));
    const busy = faultOf(runtime.run(job('never', of('b'))));
    await pidOf(runtime, of('b'));
    await pidOf(runtime, of('c'));
    while (!isKnownDead(first)) await new Promise((resolve) => setTimeout(resolve, 20));
    const busier = faultOf(runtime.run(job('never', of('c'))));
    expect(await faultOf(runtime.run(job('pid', of('d'))))).toMatchObject({ message: /too many/, more: { effect: 'none' } });
    await runtime.close();
    for (const ended of [busy, busier]) expect(await ended).toMatchObject({ code: 'NETWORK_ERROR' });
  });
});
