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

/** Starts under umask 0, as a careless service manager would. */
async function upWithOpenUmask(): Promise<void> {
  const before = process.umask(0);
  const ready = platform.up();
  process.umask(before);
  await ready;
}

/** Everything of the data directory, and itself: files and folders, no sockets, which no file mode protects but the folder's does. */
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

/** Calls until every kind of file was written: journal, database, tiles and checkpoints. */
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

test('what the platform keeps is for its own user alone, whatever the umask', async () => {
  await upWithOpenUmask();
  await work(1);
  expect(open()).toEqual([]);
  expect([...kept(platform.dataDir)].length).toBeGreaterThan(500);
});

test('what an earlier release left open is closed at the start', async () => {
  await platform.process.stop();
  for (const { place, is_folder } of [...kept(platform.dataDir)]) chmodSync(place, is_folder ? 0o755 : 0o644);
  expect(open().length).toBeGreaterThan(500);
  await upWithOpenUmask();
  expect(open()).toEqual([]);
  await work(2);
  await platform.process.stop();
  expect(open()).toEqual([]);
});
