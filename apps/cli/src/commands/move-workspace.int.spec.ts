import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FolderLayout, LAYOUT_FILE, MOVE_LOCK, MOVING_FOLDER } from '@countersign/tool-kit/tenant-folders/layout';
import { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moveFiles } from '../workspace/move-files.js';
import { moveWorkspace } from './move-workspace.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-move-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Possible contents of a one-tenant workspace: files, trash and receipts, a repository, a folder named like a tenant. */
const files: Readonly<Record<string, string>> = {
  'a.txt': 'one',
  'docs/b.md': 'two',
  'default/inner.txt': 'a folder of that name',
  'acme/c.txt': 'another',
  '.git/HEAD': 'ref: refs/heads/main',
  '.hidden': 'three',
  '.countersign-trash/receipts/ab/abc.json': '{}',
};

function fill(folder = root): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function filesBelow(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

const layout = (): FolderLayout => JSON.parse(readFileSync(join(root, LAYOUT_FILE), 'utf8')) as FolderLayout;
const write = (value: FolderLayout) => writeFileSync(join(root, LAYOUT_FILE), JSON.stringify(value));
const run = (...args: string[]) => moveWorkspace.run(['--root', root, '--now', ...args], {});

/** Every file belongs to the tenant, none is lost, and the root has only its folder and the layout. */
function expectMoved(tenant = 'default'): void {
  expect(filesBelow(join(root, tenant))).toEqual(files);
  expect(readdirSync(root).sort()).toEqual([LAYOUT_FILE, tenant].sort());
  expect(layout()).toEqual({ layout: 'by_tenant', moved: { tenant_id: tenant, at_ms: expect.any(Number) } });
}

test('the files, trash and repositories of a tenant are in its folder afterwards, even if one of them has its name', async () => {
  fill();
  write({ layout: 'one_tenant', tenant_id: 'default' });
  expect(await run()).toEqual({ code: 0, lines: [expect.stringContaining(join(root, 'default'))] });
  expectMoved();
  expect(await run()).toMatchObject({ code: 1, lines: [expect.stringContaining('already has a folder per tenant')] });
  expectMoved();
});

test('a workspace without a recorded owner is moved only to the given tenant', async () => {
  fill();
  expect(await run()).toMatchObject({ code: 1, lines: [expect.stringContaining('give --tenant')] });
  expect(filesBelow(root)).toEqual(files);
  expect(await run('--tenant', 'acme')).toMatchObject({ code: 0 });
  expectMoved('acme');
});

test('the files of one tenant move to another only with --reassign', async () => {
  fill();
  write({ layout: 'one_tenant', tenant_id: 'default' });
  expect(await run('--tenant', 'acme')).toMatchObject({ code: 1, lines: [expect.stringContaining('--reassign')] });
  expect(layout()).toEqual({ layout: 'one_tenant', tenant_id: 'default' });
  expect(await run('--tenant', 'acme', '--reassign')).toMatchObject({ code: 0 });
  expectMoved('acme');
});

test('the folder has the permissions of the root, and names that are not UTF-8 are moved too', async () => {
  fill();
  const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]);
  writeFileSync(odd, 'odd');
  execFileSync('chmod', ['750', root]);
  expect(await run('--tenant', 'default')).toMatchObject({ code: 0 });
  expect(statSync(join(root, 'default')).mode & 0o777).toBe(0o750);
  expect(readdirSync(join(root, 'default'), { encoding: 'buffer' }).some((name) => name.equals(Buffer.from([0xff, 0xfe])))).toBe(true);
});

describe('after an interruption', () => {
  const moving = (collected: boolean) => write({ layout: 'moving', tenant_id: 'default', collected });

  test.each([0, 1, 3, 7])('with %i collected entries, it continues', async (count) => {
    fill();
    moving(false);
    const names = readdirSync(root).filter((name) => name !== LAYOUT_FILE);
    mkdirSync(join(root, MOVING_FOLDER));
    for (const name of names.slice(0, count)) renameSync(join(root, name), join(root, MOVING_FOLDER, name));
    expect(await run()).toMatchObject({ code: 0 });
    expectMoved();
  });

  test('before the collecting folder exists, it continues', async () => {
    fill();
    moving(false);
    expect(await run()).toMatchObject({ code: 0 });
    expectMoved();
  });

  test('with everything collected, it continues', async () => {
    fill(join(root, MOVING_FOLDER));
    moving(true);
    expect(await run()).toMatchObject({ code: 0 });
    expectMoved();
  });

  test('with the folder at its final place, it moves nothing into it a second time', async () => {
    fill(join(root, 'default'));
    moving(true);
    expect(await run()).toMatchObject({ code: 0 });
    expectMoved();
  });

  test('with a draft of the layout and the lock of a dead process left, it continues', async () => {
    fill();
    moving(false);
    writeFileSync(join(root, `${LAYOUT_FILE}.3f0e`), '{"layo');
    writeFileSync(join(root, MOVE_LOCK), JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, nonce: 'dead' }));
    expect(await run()).toMatchObject({ code: 0 });
    expect(filesBelow(join(root, 'default'))).toEqual(files);
    expect(existsSync(join(root, MOVE_LOCK))).toBe(false);
  });

  test('it continues for that tenant only', async () => {
    fill();
    moving(false);
    expect(await run('--tenant', 'acme', '--reassign')).toMatchObject({ code: 1, lines: [expect.stringContaining('--tenant default')] });
    expect(filesBelow(root)).toMatchObject(files);
  });

  test('it refuses every tenant until it has ended', async () => {
    fill();
    moving(false);
    const folders = new TenantFolders({ variable: 'ROOT', root, sharing: { variable: 'SHARED', on: false } }, () => ['default']);
    await expect(folders.of('default')).rejects.toMatchObject({
      more: { details: { reason: 'being_moved' }, retryable: true, effect: 'none' },
    });
    await run();
    expect(await folders.of('default')).toBe(join(root, 'default'));
  });
});

test('files that a running call creates meanwhile are collected too, and never replace collected ones', async () => {
  fill();
  const late = async () => writeFileSync(join(root, 'late.txt'), 'made while it waited');
  expect(await moveFiles({ root, tenant_id: 'default', reassign: false, drained: late })).toEqual({ folder: join(root, 'default') });
  expect(readFileSync(join(root, 'default/late.txt'), 'utf8')).toBe('made while it waited');
});

test('a new file with the name of a collected one stops the move, and neither is lost', async () => {
  fill();
  write({ layout: 'moving', tenant_id: 'default', collected: false });
  mkdirSync(join(root, MOVING_FOLDER));
  writeFileSync(join(root, MOVING_FOLDER, 'a.txt'), 'collected before');
  expect(await run()).toMatchObject({ code: 1, lines: [expect.stringMatching(/a\.txt.*both exist/)] });
  expect(readFileSync(join(root, MOVING_FOLDER, 'a.txt'), 'utf8')).toBe('collected before');
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one');
  rmSync(join(root, MOVING_FOLDER, 'a.txt'));
  expect(await run()).toMatchObject({ code: 0 });
  expectMoved();
});

test('of several concurrent moves one runs, and no file is lost or moved twice', async () => {
  fill();
  write({ layout: 'one_tenant', tenant_id: 'default' });
  writeFileSync(join(root, MOVE_LOCK), JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, nonce: 'dead' }));
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => run()));
  expect(outcomes.filter(({ code }) => code === 0)).toHaveLength(1);
  expectMoved();
});

test('the lock of a running process, or of another machine, is respected', async () => {
  fill();
  for (const holder of [
    { host: hostname(), pid: process.pid, nonce: 'mine' },
    { host: 'elsewhere.invalid', pid: 1, nonce: 'its' },
  ]) {
    writeFileSync(join(root, MOVE_LOCK), JSON.stringify(holder));
    expect(await run('--tenant', 'default')).toMatchObject({ code: 1, lines: [expect.stringContaining('another move-workspace')] });
  }
  rmSync(join(root, MOVE_LOCK));
  expect(filesBelow(root)).toEqual(files);
});

test('a workspace is shared with --share, and can move to one tenant afterwards', async () => {
  fill();
  write({ layout: 'one_tenant', tenant_id: 'default' });
  expect(await run('--share', '--tenant', 'x')).toMatchObject({ code: 2 });
  expect(await run('--share')).toMatchObject({ code: 0, lines: [expect.stringContaining('COUNTERSIGN_WORKSPACE_SHARED=true')] });
  expect(layout()).toEqual({ layout: 'shared' });
  expect(await run()).toMatchObject({ code: 1, lines: [expect.stringContaining('give --tenant')] });
  expect(await run('--tenant', 'default')).toMatchObject({ code: 0 });
  expectMoved();
  expect(await run('--share')).toMatchObject({ code: 1, lines: [expect.stringContaining('by tenant')] });
});

test('a root that does not exist, a damaged layout and unknown options are reported', async () => {
  expect(await moveWorkspace.run(['--root', join(root, 'none')], {})).toMatchObject({
    code: 1,
    lines: [expect.stringContaining('does not exist')],
  });
  expect(await run('--nonsense')).toMatchObject({ code: 2 });
  writeFileSync(join(root, LAYOUT_FILE), '{"layout":"moving"}');
  expect(await run('--tenant', 'default')).toMatchObject({ code: 1, lines: [expect.stringContaining('is damaged')] });
});
