import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayout, type FolderLayout, LAYOUT_FILE, readLayout } from './layout.js';
import { TenantFolders } from './tenant-folders.js';

let top: string;
let root: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-folders-')));
  root = join(top, 'workspace');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const VARIABLE = 'COUNTERSIGN_WORKSPACE_ROOT';
const folders = (tenants: readonly string[], is_shared = false, refused: object[] = []) =>
  new TenantFolders(
    { variable: VARIABLE, root, sharing: { variable: 'SHARED', on: is_shared } },
    () => tenants,
    (each) => refused.push(each),
  );
const layout = async () => (await readLayout(root))?.layout;
const reason = (reason: string) => ({ countersign_tool_error: true, more: { effect: 'none', details: { reason, setting: VARIABLE } } });

function legacy(): void {
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'of the one tenant');
}

describe('a new workspace', () => {
  test('gives each tenant its own folder, which other users of the machine cannot read', async () => {
    const all = folders(['default', 'acme']);
    expect(await all.of('acme')).toBe(join(root, 'acme'));
    expect(await all.of('Acme')).toBe(join(root, '=41cme'));
    expect(statSync(join(root, 'acme')).mode & 0o777).toBe(0o700);
    expect(await layout()).toBe('by_tenant');
  });

  test('has its layout from the start, so that files added later belong to no tenant', async () => {
    const all = folders(['default']);
    expect(await all.prepare()).toBeUndefined();
    writeFileSync(join(root, 'late.txt'), 'x');
    expect(await all.of('default')).toBe(join(root, 'default'));
    expect(await folders(['default']).of('default')).toBe(join(root, 'default'));
  });

  test('is a folder that holds only what the operating system creates', async () => {
    mkdirSync(join(root, 'lost+found'), { recursive: true });
    writeFileSync(join(root, '.DS_Store'), '');
    expect(await folders(['default']).of('default')).toBe(join(root, 'default'));
  });
});

describe('a workspace with files directly in it', () => {
  beforeEach(legacy);

  test('stays with the only tenant of the installation, also when others are added', async () => {
    expect(await folders(['default']).prepare()).toBeUndefined();
    const refused: object[] = [];
    const later = folders(['default', 'acme'], false, refused);
    expect(await later.of('default')).toBe(root);
    await expect(later.of('acme')).rejects.toMatchObject(reason('belongs_to_another_tenant'));
    expect(refused).toEqual([{ tenant_id: 'acme', reason: 'belongs_to_another_tenant', root }]);
    expect(readdirSync(root).sort()).toEqual([LAYOUT_FILE, 'a.txt']);
  });

  test('is given to no tenant if there are several, whichever calls first', async () => {
    const refused: object[] = [];
    const all = folders(['default', 'acme'], false, refused);
    expect(await all.prepare()).toBeUndefined();
    expect(refused).toEqual([{ tenant_id: null, reason: 'not_assigned', root }]);
    for (const tenant of ['default', 'acme', 'beta']) await expect(all.of(tenant)).rejects.toMatchObject(reason('not_assigned'));
    expect(await layout()).toBeUndefined();
    // Also to a tenant that is not in the configuration yet.
    await expect(folders(['default']).of('beta')).rejects.toMatchObject(reason('not_assigned'));
  });

  test('refuses without naming the owner or the place', async () => {
    await folders(['the-owner']).prepare();
    const refusal = await folders(['the-owner'])
      .of('acme')
      .catch((error: Error) => error);
    expect(String(refusal)).toContain('countersign -- move-workspace');
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain('the-owner');
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain(root);
  });

  test('is assigned to one tenant, whichever of many executors is first', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 24 }, (_, at) => folders([at % 2 === 0 ? 'acme' : 'beta']).of(at % 2 === 0 ? 'acme' : 'beta')),
    );
    const recorded = (await readLayout(root)) as { tenant_id: string };
    for (const [at, answer] of answers.entries())
      expect(answer.status).toBe((at % 2 === 0 ? 'acme' : 'beta') === recorded.tenant_id ? 'fulfilled' : 'rejected');
    expect(readdirSync(root).sort()).toEqual([LAYOUT_FILE, 'a.txt']);
  });

  test('with a damaged record belongs to no tenant', async () => {
    for (const text of ['', '{', '{"layout":"one_tenant"}', '{"layout":"all"}', 'null', '[]']) {
      writeFileSync(join(root, LAYOUT_FILE), text);
      await expect(folders(['default']).of('default')).rejects.toMatchObject(reason('layout_damaged'));
      await expect(folders(['default']).prepare()).rejects.toThrow(/is damaged/);
    }
  });
});

describe('sharing', () => {
  test('applies to all tenants if setting and record agree', async () => {
    legacy();
    const all = folders(['default', 'acme'], true);
    expect(await all.prepare()).toBeUndefined();
    expect([await all.of('default'), await all.of('acme')]).toEqual([root, root]);
    expect(await folders(['default'], false).prepare()).toMatch(/SHARED is not true/);
    await expect(folders(['default'], false).of('default')).rejects.toMatchObject(reason('was_shared'));
  });

  test.each<FolderLayout>([{ layout: 'by_tenant' }, { layout: 'one_tenant', tenant_id: 'default' }])(
    'never opens what was %j',
    async (known) => {
      legacy();
      await createLayout(root, known);
      const all = folders(['default'], true);
      expect(await all.prepare()).toMatch(/^SHARED is true, but COUNTERSIGN_WORKSPACE_ROOT/);
      for (const tenant of ['default', 'acme']) await expect(all.of(tenant)).rejects.toMatchObject(reason('not_shared'));
    },
  );
});

test('a person resolves a call that another tenant began in the root before the move; it is not looked for in the new folder', async () => {
  mkdirSync(root);
  await createLayout(root, { layout: 'by_tenant', moved: { tenant_id: 'default', at_ms: 1_000 } });
  const all = folders(['default', 'acme']);
  await expect(all.of('acme', 999)).rejects.toMatchObject(reason('began_before_move'));
  expect(await all.of('acme', 1_000)).toBe(join(root, 'acme'));
  expect(await all.of('acme')).toBe(join(root, 'acme'));
  expect(await all.of('default', 999)).toBe(join(root, 'default'));
});

test('a root that is restored to its state before the move belongs to one tenant again, also while executors run', async () => {
  const all = folders(['default', 'acme']);
  expect(await all.of('acme')).toBe(join(root, 'acme'));
  writeFileSync(join(root, LAYOUT_FILE), '{"layout":"one_tenant","tenant_id":"default"}');
  await expect(all.of('acme')).rejects.toMatchObject(reason('belongs_to_another_tenant'));
  expect(await all.of('default')).toBe(root);
});

test("a tenant's folder must not be a link into another tenant's folder", async () => {
  const all = folders([]);
  writeFileSync(join(await all.of('acme'), 'a.txt'), 'acme');
  symlinkSync(join(root, 'acme'), join(root, 'beta'));
  await expect(all.of('beta')).rejects.toMatchObject({ more: { details: { reason: 'not_a_folder' } } });
  symlinkSync('/nowhere', join(root, 'gamma'));
  await expect(all.of('gamma')).rejects.toMatchObject({ more: { details: { reason: 'not_a_folder' } } });
});

test('a setting that cannot be shared has a folder for each tenant, whatever it contains, and no record', async () => {
  legacy();
  const records = new TenantFolders({ variable: 'COUNTERSIGN_RECORDS_ROOT', root }, () => ['default', 'acme']);
  expect(await records.prepare()).toBeUndefined();
  expect([await records.of('acme'), await records.of('shared'), await records.common()]).toEqual(
    ['acme', '=73hared', 'shared'].map((name) => join(root, name)),
  );
  expect(await readLayout(root)).toBeUndefined();
});

test('an unusable root is a refusal without an effect, not a fault that leaves a doubt', async () => {
  writeFileSync(root, 'a file');
  await expect(folders(['default']).of('default')).rejects.toMatchObject(reason('enotdir'));
});

test('a second writer never replaces the record', async () => {
  mkdirSync(root);
  const layouts = Array.from({ length: 16 }, (_, at) => ({ layout: 'one_tenant' as const, tenant_id: `t${at}` }));
  const made = await Promise.all(layouts.map((each) => createLayout(root, each)));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(root, LAYOUT_FILE), 'utf8'))).toEqual(layouts[made.indexOf(true)]);
  expect(readdirSync(root)).toEqual([LAYOUT_FILE]);
});
