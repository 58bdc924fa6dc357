import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOverfull, stateFolderOf } from './state-folder.js';

let below: string;
beforeEach(() => {
  below = mkdtempSync(path.join(tmpdir(), 'countersign-state-'));
});
afterEach(() => rmSync(below, { recursive: true, force: true }));

test('each tenant, upstream and user has a folder of its own, which others of the machine cannot enter', async () => {
  const acme = { tenant_id: 'acme', upstream: 'files', user_id: null };
  const folders = await Promise.all(
    [acme, { ...acme, upstream: 'notes' }, { ...acme, user_id: '../../x' }].map((one) => stateFolderOf(below, one)),
  );
  expect(folders[0]).toBe(path.join(below, 'acme', 'files', 'workspace'));
  expect(folders[2]).toMatch(/\/acme\/files\/user-[0-9a-f]{32}$/);
  expect(folders.map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
});

test('what files take on the disk counts, in folders too, and nothing behind links', async () => {
  const folder = await stateFolderOf(below, { tenant_id: 'acme', upstream: 'files', user_id: null });
  const full = () => isOverfull({ folder, bytes_max: 100_000 });
  writeFileSync(path.join(below, 'elsewhere'), Buffer.alloc(200_000, 1));
  symlinkSync(below, path.join(folder, 'link'));
  symlinkSync(path.join(below, 'elsewhere'), path.join(folder, 'file-link'));
  writeFileSync(path.join(folder, 'holes'), '');
  truncateSync(path.join(folder, 'holes'), 10_000_000);
  expect(await full()).toBe(false);
  mkdirSync(path.join(folder, 'deep', 'er'), { recursive: true });
  writeFileSync(path.join(folder, 'deep', 'er', 'large'), Buffer.alloc(200_000, 1));
  expect(await full()).toBe(true);
});

test('a folder with more entries than are counted is full', async () => {
  for (let at = 0; at <= 20; at++) symlinkSync('x', path.join(below, String(at)));
  expect(await isOverfull({ folder: below, bytes_max: Number.MAX_SAFE_INTEGER }, 20)).toBe(true);
});
