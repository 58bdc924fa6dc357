import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { classified, ended, listedUpstream } from './reference-upstreams.js';
import { type Upstream, until } from './upstream-answers.js';
import { programsWith, signalAll } from './upstream-processes.js';

const SERVER = fileURLToPath(new URL('./changing-upstream.js', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-state-'));
let platform: EmbeddedPlatform;
let people: { author: Api; operator: Api; agent: Api };

beforeAll(async () => {
  const commands = [{ name: 'notes', argv: [process.execPath, SERVER], state: { folder } }];
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_PACKS: 'workspace',
    COUNTERSIGN_UPSTREAM_COMMANDS: JSON.stringify(commands),
    COUNTERSIGN_UPSTREAM_SANDBOX: 'none',
  });
  const admin = platform.admin();
  people = {
    author: await admin.keyFor('user', 'tess', ['tool_author']),
    operator: await admin.keyFor('user', 'olga', ['operator', 'approver']),
    agent: await admin.keyFor('agent', 'agent-1', ['agent']),
  };
  await listedUpstream(people, 'notes', { command: 'notes' });
  await classified(people, 'notes', {
    add_note: {
      effect_class: 'commit_low',
      compensation: { tool: 'remove_note', inputs: { id: { from: '/output/structured/id' } } },
      undo_within_ms: 3_600_000,
    },
    remove_note: { effect_class: 'commit_low' },
    offer: { effect_class: 'commit_low' },
  });
});
afterAll(async () => {
  await platform?.close();
  rmSync(folder, { recursive: true, force: true });
});

const notes = () =>
  readFileSync(path.join(folder, 'default', 'notes', 'workspace', 'notes'), 'utf8')
    .trim()
    .split('\n');

describe('a write of an upstream that has a compensation', () => {
  let first: Envelope;

  test('is undone by the named tool, with what the write returned, once', async () => {
    first = await ended(people.agent, { tool: 'notes__add_note', inputs: { note: 'kept' } });
    const second = await ended(people.agent, { tool: 'notes__add_note', inputs: { note: 'undone' } });
    expect([first.status, second.status, notes()]).toEqual(['succeeded', 'succeeded', ['id-0 kept', 'id-1 undone']]);
    const url = `/v1/calls/${second.call_id}/undo`;
    const { preview_digest } = (await people.operator.request<{ preview_digest: string }>('GET', url)).body;
    const undo = () => people.operator.request<{ items: { undone: boolean }[] }>('POST', url, { preview_digest, reason: 'a mistake' });
    const answers = await Promise.all([undo(), undo(), undo()]);
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0);
    await until(
      async () => notes(),
      (lines) => lines.includes('id-1 undone removed'),
    );
    await until(
      async () => (await people.agent.readCall(second.call_id)).body,
      ({ status }) => status === 'compensated',
    );
    expect(notes()).toEqual(['id-0 kept', 'id-1 undone removed']);
  });

  test('cannot be undone once its tool no longer stands, and says so', async () => {
    await people.author.request('DELETE', '/v1/upstreams/notes');
    const url = `/v1/calls/${first.call_id}/undo`;
    const preview = (await people.operator.request<{ preview_digest: string }>('GET', url)).body;
    const answer = await people.operator.request('POST', url, { preview_digest: preview.preview_digest, reason: 'a mistake' });
    expect(preview).toMatchObject({ items: [{ undoable: false, reason: 'undo_denied', detail: expect.stringContaining('is suspended') }] });
    expect([answer.status, answer.body.reason]).toEqual([422, 'nothing_to_undo']);
    expect(notes()).toEqual(['id-0 kept', 'id-1 undone removed']);
  });
});

test('a server that says that its list has changed is listed again', async () => {
  const { tools } = await listedUpstream(people, 'again', { command: 'notes' });
  await classified(people, 'again', { offer: { effect_class: 'commit_low' } });
  expect(tools.map(({ tool }) => tool)).not.toContain('star_note');
  expect((await ended(people.agent, { tool: 'again__offer', inputs: { tool: 'star_note' } })).status).toBe('succeeded');
  const seen = await until(
    async () => (await people.operator.request<Upstream>('GET', '/v1/upstreams/again')).body,
    (upstream) => upstream.tools.some(({ tool }) => tool === 'star_note'),
  );
  expect(seen.tools.find(({ tool }) => tool === 'star_note')).toMatchObject({ name: 'again__star_note', state: 'unclassified' });
});

test('a program of a later revision that stalls is replaced before anything else is sent to it', async () => {
  await classified(people, 'again', { add_note: { effect_class: 'commit_low', timeout_ms: 4_000 } });
  const add = (note: string) => ended(people.agent, { tool: 'again__add_note', inputs: { note } });
  expect((await add('before')).status).toBe('succeeded');
  signalAll(programsWith(`STATE_DIRECTORY=${path.join(folder, 'default', 'again')}`), 'SIGSTOP');
  expect((await add('lost')).status).toBe('in_doubt');
  expect((await add('after')).status).toBe('succeeded');
});

test('a rule asks for approval of what a run writes after it has called an upstream', async () => {
  const admin = platform.admin();
  const when = "history.run.tools['again__offer'].succeeded > 0";
  const rules = [{ id: 'writes-after-reading', tools: 'again__add_note', when, effect: 'require_approval' }];
  const { body } = await admin.request<{ version: string }>('POST', '/v1/policies', { rules });
  expect(body).toHaveProperty('version');
  expect((await admin.request('PUT', '/v1/policies/active', { version: body.version, shadow: null })).status).toBe(200);
  const call = async (tool: string, inputs: Record<string, unknown>, run_id: string) =>
    (await people.agent.call({ tool, inputs, context: { run_id } }, { prefer: 'wait=20' })).body.status;
  expect(await call('again__add_note', { note: 'first' }, 'run-1')).toBe('succeeded');
  expect(await call('again__offer', { tool: 'third' }, 'run-1')).toBe('succeeded');
  expect(await call('again__add_note', { note: 'second' }, 'run-1')).toBe('pending_approval');
  expect(await call('again__add_note', { note: 'third' }, 'run-2')).toBe('succeeded');
});
