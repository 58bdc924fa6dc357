import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
beforeAll(async () => {
  platform = await EmbeddedPlatform.create();
});
afterAll(() => platform.close());

/** Starts with umask 0, like a careless service manager. */
async function upWithOpenUmask(): Promise<void> {
  const before = process.umask(0);
  const ready = platform.up();
  process.umask(before);
  await ready;
}

/**
 * All entries of the data directory, and the directory itself: files and folders, without sockets, which only the mode of their folder
 * protects.
 */
function* kept(folder: string): Generator<{ place: string; mode: number; is_folder: boolean }> {
  for (const place of [folder, ...readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)))]) {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory() || stats?.isFile()) yield { place, mode: stats.mode & 0o777, is_folder: stats.isDirectory() };
  }
}

const open = () =>
  [...kept(platform.dataDir)]
    .filter(({ mode, is_folder }) => mode !== (is_folder ? 0o700 : 0o600))
    .map(({ place, mode }) => `${path.relative(platform.dataDir, place)} ${mode.toString(8)}`);

/** Makes calls until every kind of file was written: journal, database, tiles and checkpoints. */
async function work(serial: number): Promise<void> {
  const api = platform.admin();
  for (let n = 0; n < 3; n++) {
    const inputs = { path: `${serial}-${n}.txt`, content: 'x', mode: 'create' };
    expect(await api.call({ tool: 'write_file', inputs })).toMatchObject({ body: { status: 'succeeded' } });
  }
  const checkpoints = path.join(platform.dataDir, 'audit/checkpoints');
  for (let waited = 0; !existsSync(checkpoints) && waited < 60_000; waited += 100) await sleep(100);
  expect(readdirSync(platform.dataDir)).toEqual(expect.arrayContaining(['audit', 'keys.json', 'log', 'pg', 'pg.boot', 'subject-keys.bin']));
}

test("the platform's files are private to its user, whatever the umask", async () => {
  await upWithOpenUmask();
  await work(1);
  expect(open()).toEqual([]);
  expect([...kept(platform.dataDir)].length).toBeGreaterThan(500);
});

test('permissions left open by an earlier release are restricted at the start', async () => {
  await platform.process.stop();
  for (const { place, is_folder } of [...kept(platform.dataDir)]) chmodSync(place, is_folder ? 0o755 : 0o644);
  expect(open().length).toBeGreaterThan(500);
  await upWithOpenUmask();
  expect(open()).toEqual([]);
  await work(2);
  await platform.process.stop();
  expect(open()).toEqual([]);
});
