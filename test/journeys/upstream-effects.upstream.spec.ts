import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  classified,
  ended,
  listedUpstream,
  MarkedFiles,
  ReferenceUpstreams,
  sentTogether,
  type UpstreamPeople,
} from './reference-upstreams.js';
import { until } from './upstream-answers.js';
import { programsOf, signalAll } from './upstream-processes.js';

const EDIT = {
  effect_class: 'commit_low',
  discriminating: ['path', 'edits'],
  resources: [{ name: 'file:{/path}', effect: 'adds' }],
};
const RECONCILED = {
  ...EDIT,
  settle_ms: 200,
  reconcile: {
    tool: 'read_text_file',
    inputs: { path: { from: '/inputs/path' } },
    matches: 'output.structured.content.contains(inputs.edits[0].newText)',
  },
};

let world: ReferenceUpstreams;
let people: UpstreamPeople;
let rival: UpstreamPeople;
let files: MarkedFiles;

beforeAll(async () => {
  world = await ReferenceUpstreams.start();
  people = await world.people('default');
  rival = await world.people('rival');
  await listedUpstream(people, 'files', { command: 'filesystem' });
  await classified(people, 'files', { edit_file: EDIT, read_text_file: { effect_class: 'read_external' } });
  files = new MarkedFiles(world.state('filesystem', 'default', 'files'));
}, 240_000);

afterAll(() => world?.close());

const program = () => programsOf(files.folder);
const countsOf = (keys: readonly string[]) => keys.map((key) => files.marks(key));
/** What an end promises of the effect in the files. */
const promised = { succeeded: [1], failed: [0], in_doubt: [0, 1], denied: [0] };

/** Each key has at most one effect, and what its end promises. */
async function judge(keys: readonly string[]): Promise<string[]> {
  const ends = await Promise.all(keys.map((key) => ended(people.agent, files.edit(key))));
  for (const [at, { status }] of ends.entries())
    expect([keys[at], status, promised[status as keyof typeof promised]]).toEqual([
      keys[at],
      status,
      expect.arrayContaining([files.marks(keys[at] as string)]),
    ]);
  return ends.map(({ status }) => status);
}

test('a request that is sent several times at once has one effect', async () => {
  const keys = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'];
  const answers = await Promise.all(keys.map((key) => sentTogether(people.agent, files.edit(key), 5)));
  expect(countsOf(keys)).toEqual(keys.map(() => 1));
  for (const each of answers) expect(new Set(each.map(({ call_id, original_call_id }) => original_call_id ?? call_id)).size).toBe(1);
  expect(await judge(keys)).toEqual(keys.map(() => 'succeeded'));
});

test('calls during which the program of the upstream is killed have at most one effect each', async () => {
  const ends: string[] = [];
  for (const [round, marked] of [0, 1, 4, 8].entries()) {
    const keys = Array.from({ length: 16 }, (_, at) => `k${round}-${at}`);
    const requests = keys.map((key) => files.edit(key));
    await ended(people.agent, files.edit(`ready${round}`));
    const programs = program();
    const sent = Promise.all(requests.map((request) => sentTogether(people.agent, request, 3)));
    while (countsOf(keys).filter(Boolean).length < marked) await nextTurn();
    signalAll(programs, 'SIGKILL');
    await sent;
    ends.push(...(await judge(keys)));
  }
  // The kills came while calls ran.
  expect(ends).toContain('in_doubt');
  expect(ends).toContain('succeeded');
});

test('a write whose program was killed before it answered is in doubt, and is not sent again', async () => {
  await ended(people.agent, files.edit('warm'));
  signalAll(program(), 'SIGSTOP');
  const { body } = await people.agent.call(files.edit('d1'), { prefer: 'wait=0' });
  await people.agent.callUntil(body.call_id, ({ status }) => status === 'running' || status === 'executing');
  // Its start is on the log; the request is in the pipe of the program a moment later.
  await sleep(200);
  signalAll(program(), 'SIGKILL');
  expect((await people.agent.callUntil(body.call_id, ({ status }) => status === 'in_doubt')).status).toBe('in_doubt');
  expect((await sentTogether(people.agent, files.edit('d1'), 3)).map(({ status }) => status)).toEqual(Array(3).fill('in_doubt'));
  expect(files.marks('d1')).toBe(0);
});

describe('the platform is killed', () => {
  test('while requests are sent several times at once: at most one effect each, and its programs end with it', async () => {
    const ends: string[] = [];
    for (const [round, marked] of [1, 5].entries()) {
      const keys = Array.from({ length: 16 }, (_, at) => `p${round}-${at}`);
      const requests = keys.map((key) => files.edit(key));
      await ended(people.agent, files.edit(`warm${round}`));
      const programs = program();
      expect(programs.length).toBeGreaterThan(0);
      const sent = Promise.all(requests.map((request) => sentTogether(people.agent, request, 3)));
      while (countsOf(keys).filter(Boolean).length < marked) await nextTurn();
      await world.platform.process.stop('SIGKILL');
      await sent;
      await until(
        async () => programs.filter((pid) => existsSync(`/proc/${pid}/exe`)),
        (left) => left.length === 0,
      );
      await world.platform.up();
      ends.push(...(await judge(keys)));
    }
    expect(ends).toContain('in_doubt');
  });

  test('after the effect and before its record: in doubt, with one effect', async () => {
    await crash('executor.after_effect', 'e1');
    expect([await judge(['e1']), files.marks('e1')]).toEqual([['in_doubt'], 1]);
  });

  async function crash(point: string, key: string): Promise<void> {
    await world.platform.process.stop('SIGKILL');
    await world.platform.up({ COUNTERSIGN_CRASH_AT: point });
    await sentTogether(people.agent, files.edit(key), 3);
    await world.platform.process.exit();
    await world.platform.up();
  }

  describe('where the operator named a read that finds the effect', () => {
    beforeAll(() => classified(people, 'files', { edit_file: RECONCILED }));

    test('an effect without a record is found, and is there once', async () => {
      await crash('executor.after_effect', 'r1');
      expect([await judge(['r1']), files.marks('r1')]).toEqual([['succeeded'], 1]);
    });

    test('a start without an effect stays in doubt, because the read need not show every effect', async () => {
      await crash('executor.after_started', 'r2');
      expect([await judge(['r2']), files.marks('r2')]).toEqual([['in_doubt'], 0]);
    });

    test('a start without an effect fails where the operator says that the read shows every effect, and may be asked for again', async () => {
      const reconcile = { ...RECONCILED.reconcile, is_complete: true };
      await classified(people, 'files', { edit_file: { ...RECONCILED, settle_is_final: true, reconcile } });
      await crash('executor.after_started', 'r3');
      expect([await judge(['r3']), files.marks('r3')]).toEqual([['failed'], 0]);
      expect([await judge(['r3']), files.marks('r3')]).toEqual([['succeeded'], 1]);
      const keys = Array.from({ length: 6 }, (_, at) => `s-${at}`);
      const sent = Promise.all(keys.map((key) => sentTogether(people.agent, files.edit(key), 3)));
      await sleep(10);
      signalAll(program(), 'SIGKILL');
      await sent;
      await judge(keys);
    });
  });
});

describe('two tenants with one command', () => {
  const add = (name: string) => ({
    tool: 'notes__create_entities',
    inputs: { entities: [{ name, entityType: 'note', observations: ['x'] }] },
  });
  const memory = (tenant_id: string) => world.state('memory', tenant_id, 'notes');
  const kept = (tenant_id: string) => readFileSync(path.join(memory(tenant_id), 'memory.jsonl'), 'utf8');

  beforeAll(async () => {
    for (const each of [people, rival]) {
      await listedUpstream(each, 'notes', { command: 'memory' });
      const tools = { create_entities: { effect_class: 'commit_low' }, read_graph: { effect_class: 'read_external' } };
      await classified(each, 'notes', tools);
    }
  });

  test('have processes and files of their own, which outlive the processes', async () => {
    await sentTogether(people.agent, add('note-of-default'), 4);
    await sentTogether(rival.agent, add('note-of-rival'), 4);
    expect([kept('default').includes('rival'), kept('rival').includes('of-default')]).toEqual([false, false]);
    const [own, other] = [programsOf(memory('default')), programsOf(memory('rival'))];
    expect([own.length > 0, other.length > 0, own.some((pid) => other.includes(pid))]).toEqual([true, true, false]);
    signalAll(other, 'SIGKILL');
    const graph = await ended(rival.agent, { tool: 'notes__read_graph', inputs: {} });
    expect(JSON.stringify(graph.output)).toContain('note-of-rival');
    expect(JSON.stringify(graph.output)).not.toContain('of-default');
    expect(programsOf(memory('default'))).toEqual(own);
  });
});

test('an upstream that stalls is given up at its limit, and the others are served meanwhile', async () => {
  await listedUpstream(people, 'misc', { command: 'everything' });
  await classified(people, 'misc', { echo: { effect_class: 'read_external', timeout_ms: 3_000 } });
  const echo = (message: string) => ({ tool: 'misc__echo', inputs: { message } });
  expect((await ended(people.agent, echo('first'))).status).toBe('succeeded');
  const stalled = programsOf(world.state('everything', 'default', 'misc'));
  signalAll(stalled, 'SIGSTOP');
  const began_ms = performance.now();
  const waiting = sentTogether(people.agent, echo('second'), 3);
  expect((await ended(people.agent, files.edit('meanwhile'))).status).toBe('succeeded');
  expect((await ended(rival.agent, { tool: 'notes__read_graph', inputs: {} })).status).toBe('succeeded');
  expect(performance.now() - began_ms).toBeLessThan(3_000);
  const [first] = await waiting;
  expect(first?.status).toBe('failed');
  expect(first?.error?.code).toBe('TIMEOUT');
  expect((await ended(people.agent, echo('third'))).status).toBe('succeeded');
});
