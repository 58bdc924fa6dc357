import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrateSql } from '../migrations/migrate.js';

const BUILDER = fileURLToPath(new URL('./snapshot-main.js', import.meta.url));
const STALE_LOCK_MS = 60_000;

/** PGlite never creates a second database: without its template databases an embedded start writes 600 files less, half of all files. */
export const DROP_TEMPLATES = [
  "UPDATE pg_database SET datistemplate = false WHERE datname IN ('template0', 'template1')",
  'DROP DATABASE template0',
  'DROP DATABASE template1',
];

/**
 * A tar.gz of a fresh, migrated database, built once in a separate process: initdb takes 5-6 s of CPU and 850 MB, which the platform's
 * process must not retain. Its name contains the versions on which it depends.
 */
export async function snapshotFile(cacheDir?: string): Promise<string> {
  const dir = await usable(cacheDir ?? defaultCacheDir());
  const file = join(dir, `pglite-${identity()}.tar`);
  while (!(await exists(file))) {
    const lock = `${file}.lock`;
    const handle = await open(lock, 'wx').catch(() => null);
    if (handle === null) {
      await waitForOther(lock);
      continue;
    }
    try {
      const part = `${file}.${process.pid}.part`;
      await promisify(execFile)(process.execPath, ['--no-warnings', BUILDER, part]);
      await rename(part, file);
    } finally {
      await handle.close();
      await rm(lock, { force: true });
    }
  }
  return file;
}

function identity(): string {
  const require = createRequire(import.meta.url);
  const hash = createHash('sha256').update(require.resolve('@electric-sql/pglite')).update(pgliteVersion(require));
  return hash.update(DROP_TEMPLATES.join()).update(migrateSql()).digest('hex').slice(0, 16);
}

function pgliteRoot(require: NodeJS.Require): string {
  const entry = require.resolve('@electric-sql/pglite');
  return entry.slice(0, entry.lastIndexOf('node_modules'));
}

function pgliteVersion(require: NodeJS.Require): string {
  const manifest = join(pgliteRoot(require), 'node_modules/@electric-sql/pglite/package.json');
  return (require(manifest) as { version: string }).version;
}

function defaultCacheDir(): string {
  return join(pgliteRoot(createRequire(import.meta.url)), 'node_modules/.cache/countersign');
}

async function usable(dir: string): Promise<string> {
  try {
    await mkdir(dir, { recursive: true });
    return dir;
  } catch {
    // node_modules may be read-only: the snapshot only saves time, so any folder will do.
    const other = join(tmpdir(), 'countersign-cache');
    await mkdir(other, { recursive: true });
    return other;
  }
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

async function waitForOther(lock: string): Promise<void> {
  const age_ms = await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age_ms > STALE_LOCK_MS) await rm(lock, { force: true });
  else await sleep(100);
}
