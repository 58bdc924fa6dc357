import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DistributedPlatform } from './distributed-platform.js';
import { classified, ended, listedUpstream, type UpstreamPeople } from './reference-upstreams.js';
import { type Upstream, until } from './upstream-answers.js';
import { programsWith, signalAll } from './upstream-processes.js';

const SERVER = fileURLToPath(new URL('./changing-upstream.js', import.meta.url));

describe('an MCP server as an upstream, with two executors on Kafka', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-state-'));
  let platform: DistributedPlatform;
  let people: UpstreamPeople;

  beforeAll(async () => {
    const commands = [{ name: 'notes', argv: [process.execPath, SERVER], state: { folder } }];
    const env = { COUNTERSIGN_UPSTREAM_COMMANDS: JSON.stringify(commands), COUNTERSIGN_UPSTREAM_SANDBOX: 'none' };
    platform = await DistributedPlatform.start({ COUNTERSIGN_PACKS: 'workspace', ...env });
    await platform.add('executor-2', 'executor');
    await platform.ready('executor-2');
    const admin = platform.admin();
    people = {
      author: await admin.keyFor('user', 'tess', ['tool_author']),
      operator: await admin.keyFor('user', 'olga', ['operator', 'approver']),
      agent: await admin.keyFor('agent', 'agent-1', ['agent']),
    };
  });
  afterAll(async () => {
    await platform?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const notes = () =>
    readFileSync(path.join(folder, 'default', 'notes', 'workspace', 'notes'), 'utf8')
      .trim()
      .split('\n');
  const read = async () => (await people.operator.request<Upstream>('GET', '/v1/upstreams/notes')).body;
  const add = (note: string) => ended(people.agent, { tool: 'notes__add_note', inputs: { note } });

  test('is set, listed and classified, and its tool runs once for equal calls', async () => {
    const { tools } = await listedUpstream(people, 'notes', { command: 'notes' });
    expect(tools.map(({ tool, version, state }) => [tool, version, state])).toEqual(
      ['add_note', 'offer', 'remove_note', 'reword', 'whoami'].map((tool) => [tool, '0.1.0', 'unclassified']),
    );
    await classified(people, 'notes', {
      add_note: { effect_class: 'commit_low', timeout_ms: 5_000, resources: [{ name: 'note:{/note}', effect: 'replaces' }] },
      reword: { effect_class: 'commit_low' },
    });
    const first = await add('one');
    const again = await add('one');
    expect([first.status, again.status, again.deduplicated]).toEqual(['succeeded', 'succeeded', true]);
    expect(notes()).toEqual(['id-0 one']);
  });

  test('that describes a tool in other words gets a pending change and a security event; the pinned version runs', async () => {
    expect((await ended(people.agent, { tool: 'notes__reword', inputs: { tool: 'add_note' } })).status).toBe('succeeded');
    await listedUpstream(people, 'notes', { command: 'notes' });
    const seen = await until(read, ({ tools }) => tools.some(({ state }) => state === 'pending_change'));
    expect(seen.tools.filter(({ state }) => state === 'pending_change').map(({ tool, version }) => [tool, version])).toEqual([
      ['add_note', '1.0.0'],
    ]);
    const events = await until(
      async () =>
        (await platform.admin().request<{ items: { kind: string; detail: string }[] }>('GET', '/v1/security-events?limit=100')).body.items,
      (items) => items.some(({ kind }) => kind === 'upstream_tool_changed'),
    );
    expect(events.filter(({ kind }) => kind === 'upstream_tool_changed')).toHaveLength(1);
    expect((await add('two')).status).toBe('succeeded');
  });

  test('whose process is killed runs in another: each call has one effect', async () => {
    const program = `STATE_DIRECTORY=${path.join(folder, 'default', 'notes')}`;
    expect(programsWith(program).length).toBeGreaterThan(0);
    signalAll(programsWith(program), 'SIGKILL');
    await until(
      async () => programsWith(program).length,
      (count) => count === 0,
    );
    expect((await add('three')).status).toBe('succeeded');
    expect(notes()).toEqual(['id-0 one', 'id-1 two', 'id-2 three']);
    expect((await read()).tools.filter(({ state }) => state === 'gone' || state === 'suspended')).toEqual([]);
  });

  test('goes on where the executor that ran it is killed', async () => {
    platform.member('executor').signal('SIGKILL');
    expect((await add('four')).status).toBe('succeeded');
    expect(notes().at(-1)).toBe('id-3 four');
  });
});
