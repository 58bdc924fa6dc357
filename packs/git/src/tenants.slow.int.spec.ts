import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAYOUT_FILE } from '@countersign/tool-kit/tenant-folders/layout';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pack } from './index.js';
import { ScratchRepository } from './scratch-repository.js';

const repo = 'app';
let scratch: ScratchRepository;
/** A repository of tenant `other` that the operator created. */
let spy: string;
beforeEach(() => {
  scratch = new ScratchRepository();
  scratch.make();
  const folder = join(scratch.workspace, 'other');
  spy = join(folder, 'spy');
  mkdirSync(folder);
  scratch.git(folder, 'init', '--quiet', '--initial-branch=main', spy);
});
afterEach(() => scratch.remove());

const asOther = (tool: string, input: Record<string, unknown>): Promise<unknown> => {
  const found = pack.tools.find(({ contract }) => contract.name === tool);
  return found?.run(input as never, scratch.context({ tenant_id: 'other' })) as Promise<unknown>;
};
const own = (path: string) => join(spy, '.git', path);
const theirs = (path: string) => join(scratch.repo, '.git', path);
const refusal = (reason: string) => ({ code: 'VALIDATION_ERROR', more: { effect: 'none', details: { path: '/repo', reason } } });
const readsTheirs = () => asOther('git_log', { repo: 'spy', revision: scratch.head('main') });

test.each(['app', '../test/app', 'test/app', '..', '../../remote.git'])('another tenant has no repository %s', async (path) => {
  const before = scratch.snapshot();
  for (const { contract } of pack.tools) {
    const more = {
      branch: 'agent/case-1/work',
      commit: scratch.head('main'),
      path: 'a.txt',
      message: 'x',
      revision: 'main',
      action: 'delete',
    };
    const fields = Object.keys((contract.input_schema as { properties: object }).properties);
    const input = Object.fromEntries(Object.entries(more).filter(([name]) => fields.includes(name)));
    await expect(asOther(contract.name, { ...input, repo: path })).rejects.toMatchObject({
      more: { effect: 'none', details: { path: '/repo' } },
    });
  }
  expect(scratch.snapshot()).toEqual(before);
});

describe('a repository with parts of another tenant', () => {
  test('through a list of other object stores is refused, however it is written', async () => {
    const stores = [theirs('objects'), '../../../../test/app/.git/objects', `# none\n${theirs('objects')}`, `"${theirs('objects')}"`];
    for (const store of stores) {
      writeFileSync(own('objects/info/alternates'), `${store}\n`);
      await expect(readsTheirs()).rejects.toMatchObject(refusal('alternates'));
    }
  });

  test('through a list in its own store is refused', async () => {
    cpSync(own('.'), join(scratch.workspace, 'other/store'), { recursive: true });
    writeFileSync(own('objects/info/alternates'), `${join(scratch.workspace, 'other/store/objects')}\n`);
    expect(await asOther('git_status', { repo: 'spy' })).toMatchObject({ head: null });
    writeFileSync(join(scratch.workspace, 'other/store/objects/info/alternates'), `${theirs('objects')}\n`);
    await expect(readsTheirs()).rejects.toMatchObject(refusal('alternates'));
  });

  test.each(['objects', 'refs', 'HEAD', 'refs/heads', 'objects/info', 'config', 'packed-refs'])(
    'by a link at %s is refused',
    async (part) => {
      writeFileSync(theirs('packed-refs'), '');
      rmSync(own(part), { recursive: true, force: true });
      symlinkSync(theirs(part), own(part));
      await expect(readsTheirs()).rejects.toMatchObject(refusal('symbolic_link'));
    },
  );

  test("as a worktree of that tenant's repository is refused", async () => {
    scratch.git(scratch.repo, 'worktree', 'add', '--quiet', join(scratch.workspace, 'other/tree'), 'main');
    await expect(asOther('git_log', { repo: 'tree' })).rejects.toMatchObject(refusal('not_a_repository'));
    writeFileSync(own('commondir'), theirs(''));
    await expect(readsTheirs()).rejects.toMatchObject(refusal('worktree'));
  });

  test("as a link to that tenant's repository is refused", async () => {
    renameSync(own('.'), join(scratch.workspace, 'other/kept'));
    symlinkSync(theirs(''), join(spy, '.git'));
    await expect(asOther('git_log', { repo: 'spy' })).rejects.toMatchObject(refusal('not_a_repository'));
    symlinkSync(scratch.repo, join(scratch.workspace, 'other/linked'));
    await expect(asOther('git_log', { repo: 'linked' })).rejects.toMatchObject(refusal('symbolic_link'));
  });
});

describe('a push', () => {
  const push = () =>
    pack.tools
      .find(({ contract }) => contract.name === 'git_push')
      ?.run({ repo, remote: 'origin', branch: 'agent/case-1/work', commit: scratch.head('agent/case-1/work') } as never, scratch.context());
  const branches = () => scratch.git(spy, 'branch', '--list');

  test.each(['../../other/spy', 'absolute', 'file'])('to a remote that is a folder of another tenant (%s) is refused', async (kind) => {
    writeFileSync(join(scratch.workspace, LAYOUT_FILE), '{"layout":"by_tenant"}');
    const address = { absolute: spy, file: `file://${spy.replace('spy', 's%70y')}` }[kind] ?? kind;
    scratch.git(scratch.repo, 'remote', 'set-url', '--push', 'origin', address);
    await expect(push()).rejects.toMatchObject({ more: { effect: 'none', details: { path: '/remote', reason: 'other_tenant' } } });
    expect(branches()).toBe('');
  });

  test('to a remote outside of the workspace, or in a .git of the own folder, is allowed', async () => {
    writeFileSync(join(scratch.workspace, LAYOUT_FILE), '{"layout":"by_tenant"}');
    expect(await push()).toMatchObject({ branch: 'agent/case-1/work' });
    cpSync(scratch.remote, join(scratch.root, 'mirror/.git'), { recursive: true });
    scratch.git(scratch.repo, 'remote', 'set-url', 'origin', '../mirror');
    expect(await push()).toMatchObject({ branch: 'agent/case-1/work' });
  });
});

test('a commit with names of the platform is not checked out or merged over the record of the layout', async () => {
  renameSync(theirs('.'), join(scratch.root, '.git'));
  const record = join(scratch.root, LAYOUT_FILE);
  writeFileSync(record, 'the record');
  rmSync(scratch.repo, { recursive: true });
  const at = (...args: string[]) => scratch.git(scratch.root, ...args);
  at('reset', '--quiet', '--hard');
  for (const name of [LAYOUT_FILE, '.countersign-trash/receipts/ab/x.json']) {
    at('switch', '--quiet', '--create', `planted-${name.length}`, 'agent/case-1/work');
    mkdirSync(join(scratch.root, name, '..'), { recursive: true });
    const blob = scratch.git(scratch.root, 'hash-object', '-w', '.git/HEAD');
    at('update-index', '--add', '--cacheinfo', `100644,${blob},${name}`);
    at('commit', '--quiet', '--message', 'Planted');
    at('branch', '--force', 'agent/case-1/other', 'HEAD');
    at('symbolic-ref', 'HEAD', 'refs/heads/agent/case-1/work');
    at('read-tree', 'HEAD');
    writeFileSync(join(scratch.root, '.git/info/exclude'), '.countersign*\n');
    for (const [tool, input] of [
      ['git_checkout', { repo: '.', branch: 'agent/case-1/other' }],
      ['git_merge', { repo: '.', branch: 'agent/case-1/work', revision: 'agent/case-1/other' }],
    ] as const) {
      const running = pack.tools.find(({ contract }) => contract.name === tool)?.run(input as never, scratch.context());
      await expect(running).rejects.toMatchObject({ more: { effect: 'none', details: { reason: 'reserved' } } });
    }
    expect(readFileSync(record, 'utf8')).toBe('the record');
  }
});

test("the platform's own environment does not affect git", async () => {
  const names = [
    'GIT_DIR',
    'GIT_OBJECT_DIRECTORY',
    'GIT_ALTERNATE_OBJECT_DIRECTORIES',
    'GIT_COMMON_DIR',
    'GIT_INDEX_FILE',
    'GIT_WORK_TREE',
  ];
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  try {
    for (const name of names) process.env[name] = theirs(name.includes('OBJECT') ? 'objects' : '');
    expect(await asOther('git_status', { repo: 'spy' })).toMatchObject({ head: null, branch: 'main' });
    await expect(asOther('git_log', { repo: 'spy', revision: 'main' })).rejects.toMatchObject({ more: { class: 'not_found' } });
  } finally {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
});

test('receipts are separate: what one tenant did with a key is unknown to another', async () => {
  const branch = pack.tools.find(({ contract }) => contract.name === 'git_branch');
  const input = { repo, action: 'create', branch: 'agent/case-1/new' } as never;
  const ctx = scratch.context();
  await branch?.run(input, ctx);
  expect(await branch?.reconcile?.(input, ctx)).toMatchObject({ kind: 'happened' });
  await expect(branch?.reconcile?.(input, { ...ctx, tenant_id: 'other' })).rejects.toMatchObject({ more: { details: { path: '/repo' } } });
});
