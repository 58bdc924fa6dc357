import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';
import { classified, ended, listedUpstream } from './reference-upstreams.js';
import { programsWith } from './upstream-processes.js';
import { UpstreamServer } from './upstream-server.js';

const SERVER = fileURLToPath(new URL('./changing-upstream.js', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-state-'));
const tokens = { anna: 'token-of-anna-0123456789', bob: 'token-of-bob-9876543210', workspace: 'token-of-the-workspace-55' };
const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

interface Who {
  call: string;
  pid: number;
  token: string;
  token_digest: string;
}

let platform: EmbeddedPlatform;
let server: UpstreamServer;
let anna: Api;
let bob: Api;
let carl: Api;

beforeAll(async () => {
  server = (await UpstreamServer.start()).serve('look', { run: ({ path: name }) => ({ content: [{ type: 'text', text: String(name) }] }) });
  const commands = [{ name: 'notes', argv: [process.execPath, SERVER], env: ['API_TOKEN'], state: { folder } }];
  platform = await EmbeddedPlatform.start({
    COUNTERSIGN_PACKS: 'workspace',
    COUNTERSIGN_UPSTREAM_COMMANDS: JSON.stringify(commands),
    COUNTERSIGN_UPSTREAM_SANDBOX: 'none',
    COUNTERSIGN_UPSTREAM_PRIVATE: server.host,
  });
  const admin = platform.admin();
  const people = {
    author: await admin.keyFor('user', 'tess', ['tool_author']),
    operator: await admin.keyFor('user', 'olga', ['operator', 'approver']),
    agent: await admin.keyFor('agent', 'agent-1', ['agent']),
  };
  [anna, bob, carl] = (await Promise.all(['anna', 'bob', 'carl'].map((name) => admin.keyFor('user', name, ['agent'])))) as [Api, Api, Api];
  await admin.request('PUT', '/v1/secrets/workspace/Token', { value: tokens.workspace });
  for (const [by, value] of [
    [anna, tokens.anna],
    [bob, tokens.bob],
  ] as const)
    expect((await by.request('PUT', '/v1/secrets/user/Token', { value })).status).toBeLessThan(300);
  await listedUpstream(people, 'mine', { command: 'notes', credentials: [{ secret: 'Token', env: 'API_TOKEN' }] });
  await listedUpstream(people, 'web', { url: server.url, credentials: [{ secret: 'Token' }] });
  await classified(people, 'mine', { whoami: { effect_class: 'read_internal' }, add_note: { effect_class: 'commit_low' } });
  await classified(people, 'web', { look: { effect_class: 'read_internal' } });
}, 120_000);
afterAll(async () => {
  await platform?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const who = async (by: Api, call: string): Promise<Who> => {
  const answer = await ended(by, { tool: 'mine__whoami', inputs: { call } });
  expect(answer.status).toBe('succeeded');
  return (answer.output as { structured: Who }).structured;
};
const times = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));

describe('a command with credentials', () => {
  test('has a process for each user, with the secret of that user alone, also under calls at the same time', async () => {
    const mixed = await Promise.all(times(24, (at) => who([anna, bob, carl][at % 3] as Api, `call-${at}`)));
    const of = (n: number) => mixed.filter((_, at) => at % 3 === n);
    expect(mixed.map(({ call }) => call)).toEqual(times(24, (at) => `call-${at}`));
    const secrets = [tokens.anna, tokens.bob, tokens.workspace];
    for (const [n, token] of secrets.entries()) {
      expect(new Set(of(n).map(({ pid }) => pid)).size).toBe(1);
      expect(new Set(of(n).map((one) => one.token_digest))).toEqual(new Set([digestOf(token)]));
    }
    expect(new Set(mixed.map(({ pid }) => pid)).size).toBe(3);
    for (const token of secrets) expect(programsWith(`API_TOKEN=${token}`).length).toBeLessThanOrEqual(1);
    // What a server repeats of its secret is masked.
    expect(new Set(mixed.map(({ token }) => token))).toEqual(new Set(['[secret]']));
  });

  test('keeps the files of each user apart', async () => {
    await ended(anna, { tool: 'mine__add_note', inputs: { note: 'of anna' } });
    await ended(bob, { tool: 'mine__add_note', inputs: { note: 'of bob' } });
    expect(readdirSync(path.join(folder, 'default', 'mine')).length).toBeGreaterThanOrEqual(2);
  });

  test('gets the new secret of a user in a new process, and nobody else does', async () => {
    const [before, other] = [await who(anna, 'before'), await who(bob, 'before')];
    const value = 'another-token-of-anna-42';
    expect((await anna.request('PUT', '/v1/secrets/user/Token', { value })).status).toBeLessThan(300);
    const [after, same] = [await who(anna, 'after'), await who(bob, 'after')];
    expect([after.token_digest, same.token_digest]).toEqual([digestOf(value), digestOf(tokens.bob)]);
    expect([after.pid === before.pid, same.pid === other.pid]).toEqual([false, true]);
    expect((await anna.request('PUT', '/v1/secrets/user/Token', { value: tokens.anna })).status).toBeLessThan(300);
  });
});

test('a server over HTTP is sent the secret of the user that calls, also under calls at the same time', async () => {
  const callers = [
    [anna, 'anna'],
    [bob, 'bob'],
    [carl, 'workspace'],
  ] as const;
  const answers: Envelope[] = await Promise.all(
    times(24, (at) => {
      const [by, name] = callers[at % 3] as (typeof callers)[number];
      return ended(by, { tool: 'web__look', inputs: { path: `${name}-${at}` } });
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  const wrong = server.called.filter(({ inputs }, at) => {
    const [name] = String(inputs.path).split('-') as [keyof typeof tokens];
    return server.authorizations[at] !== `Bearer ${tokens[name]}`;
  });
  expect([server.called.length, wrong]).toEqual([24, []]);
});

test('a secret of a user is on no page and in no log', async () => {
  const shown = JSON.stringify([
    (await platform.admin().request('GET', '/v1/audit/events?limit=500')).body,
    (await platform.admin().request('GET', '/v1/calls?limit=500')).body,
    platform.process.output,
  ]);
  for (const token of Object.values(tokens)) expect(shown).not.toContain(token);
});
