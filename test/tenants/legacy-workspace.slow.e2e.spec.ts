import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, Envelope } from '../journeys/api.js';
import { countersign } from '../journeys/cli.js';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';

/** An installation from before tenants had folders: the files of its only tenant are directly in the workspace. */
describe('a workspace with files directly in it', () => {
  let platform: EmbeddedPlatform;
  let root: string;
  let owner: Api;
  let second: Api;

  beforeAll(async () => {
    platform = await EmbeddedPlatform.create({ COUNTERSIGN_PACKS: 'workspace,git,patterns' });
    root = platform.workspaceRoot;
    writeFileSync(path.join(root, 'old.txt'), 'from before');
    mkdirSync(path.join(root, 'default'));
    writeFileSync(path.join(root, 'default/inner.txt'), 'in a folder with the name of the tenant');
    await platform.up();
    const admin = platform.admin();
    owner = await admin.keyFor('agent', 'agent-1', ['agent']);
    await admin.request('POST', '/v1/tenants', { tenant_id: 'second' });
    second = await admin.keyFor('agent', 'agent-1', ['agent'], 'second');
  });
  afterAll(() => platform?.close());

  const call = async (by: Api, tool: string, inputs: Record<string, unknown>): Promise<Envelope> => (await by.call({ tool, inputs })).body;

  test('stays with its existing tenant, which reads and writes there as before', async () => {
    expect(await call(owner, 'read_file', { path: 'old.txt' })).toMatchObject({ output: { content: 'from before' } });
    expect(await call(owner, 'write_file', { path: 'new.txt', content: 'new', mode: 'create' })).toMatchObject({ status: 'succeeded' });
    expect(readFileSync(path.join(root, 'new.txt'), 'utf8')).toBe('new');
  });

  const refusals = async () => {
    for (const [tool, inputs] of [
      ['read_file', { path: 'old.txt' }],
      ['list_directory', {}],
      ['write_file', { path: 'old.txt', content: 'mine', mode: 'overwrite' }],
      ['git_status', {}],
    ] as const) {
      const { status, error } = await call(second, tool, inputs);
      expect([tool, status, error]).toMatchObject([
        tool,
        'failed',
        {
          code: 'PROVIDER_ERROR',
          class: 'authorization',
          message: expect.stringMatching(/COUNTERSIGN_WORKSPACE_ROOT.*countersign -- move-workspace/),
          details: { reason: 'belongs_to_another_tenant', setting: 'COUNTERSIGN_WORKSPACE_ROOT' },
        },
      ]);
      expect(JSON.stringify(error)).not.toContain(platform.dir);
    }
    expect(readFileSync(path.join(root, 'old.txt'), 'utf8')).toBe('from before');
    expect(existsSync(path.join(root, 'second'))).toBe(false);
  };

  test('refuses a second tenant, and states what to do', refusals);

  test('refuses it after a restart too, and other tools of that tenant work', async () => {
    await platform.process.stop();
    await platform.up();
    await refusals();
    const staged = { kind: 'send_letter', target_system: 'mail', payload: { summary: 'Answer' } };
    expect(await call(second, 'stage_action', staged)).toMatchObject({ status: 'succeeded' });
    expect(await call(owner, 'read_file', { path: 'new.txt' })).toMatchObject({ output: { content: 'new' } });
  });

  test('has a folder for each tenant after it was moved, with nothing lost and nothing mixed', async () => {
    await platform.process.stop();
    const { code, output } = await countersign({ COUNTERSIGN_WORKSPACE_ROOT: root }, 'move-workspace', '--now');
    expect([code, output]).toEqual([0, expect.stringContaining(path.join(root, 'default'))]);
    await platform.up();
    for (const [name, content] of [
      ['old.txt', 'from before'],
      ['new.txt', 'new'],
      ['default/inner.txt', 'in a folder with the name of the tenant'],
    ])
      expect(await call(owner, 'read_file', { path: name })).toMatchObject({ output: { content } });
    expect(await call(second, 'list_directory', {})).toMatchObject({ output: { entries: [] } });
    expect(await call(second, 'write_file', { path: 'old.txt', content: 'its own', mode: 'create' })).toMatchObject({
      status: 'succeeded',
    });
    expect(await call(owner, 'read_file', { path: 'old.txt' })).toMatchObject({ output: { content: 'from before' } });
    expect(readdirSync(root).sort()).toEqual(['.countersign-layout.json', 'default', 'second']);
  });

  test('can then no longer be shared by a setting alone', async () => {
    await platform.process.stop();
    await expect(platform.up({ COUNTERSIGN_WORKSPACE_SHARED: 'true' })).rejects.toThrow();
    await platform.up();
  });
});

test('a workspace that the operator shares is one for all tenants', async () => {
  const platform = await EmbeddedPlatform.create({ COUNTERSIGN_PACKS: 'workspace', COUNTERSIGN_WORKSPACE_SHARED: 'true' });
  try {
    writeFileSync(path.join(platform.workspaceRoot, 'common.txt'), 'for all');
    await platform.up();
    const admin = platform.admin();
    await admin.request('POST', '/v1/tenants', { tenant_id: 'second' });
    const second = await admin.keyFor('agent', 'agent-1', ['agent'], 'second');
    for (const by of [admin, second])
      expect((await by.call({ tool: 'read_file', inputs: { path: 'common.txt' } })).body).toMatchObject({ output: { content: 'for all' } });
  } finally {
    await platform.close();
  }
});
