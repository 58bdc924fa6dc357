import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ToolError } from '@countersign/tool-kit';
import { refused } from './refusal.js';

/** The depth to which git itself follows them. */
const ALTERNATES_DEPTH_MAX = 5;
const FILE_BYTES_MAX = 64 * 1024;
/** Folders of a repository that could be links into another repository. */
const OBJECTS = 'objects';
const WATCHED = ['', OBJECTS, 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'info', 'logs'];

/**
 * Refuses a repository that has parts outside of the tenant's folder: git would read another tenant's objects or branches through a link,
 * a shared repository (`commondir`) or other object stores (`alternates`). No tool lets agents create such a repository; someone with
 * access to the disk can.
 */
export async function checkSelfContained(git_dir: string, tenant_root: string): Promise<void> {
  if ((await textOf(join(git_dir, 'commondir'))) !== undefined)
    throw leaves('worktree', 'the repository is a worktree of another repository: clone it instead');
  for (const folder of WATCHED) await checkLinks(join(git_dir, folder), tenant_root);
  await checkAlternates(join(git_dir, OBJECTS), tenant_root, 0);
}

async function checkLinks(folder: string, tenant_root: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((each) => each.isSymbolicLink()))
    await checkInside(join(folder, entry.name), tenant_root, 'symbolic_link');
}

async function checkAlternates(objects: string, tenant_root: string, depth: number): Promise<void> {
  const text = await textOf(join(objects, 'info/alternates'));
  const stores = (text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const store of stores) {
    // Git also accepts a quoted path; it is not needed here.
    if (store.startsWith('"') || depth === ALTERNATES_DEPTH_MAX)
      throw leaves('alternates', 'its list of alternate object stores cannot be read');
    const path = resolve(objects, store);
    await checkInside(path, tenant_root, 'alternates');
    await checkAlternates(path, tenant_root, depth + 1);
  }
}

async function checkInside(path: string, tenant_root: string, reason: string): Promise<void> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || real === tenant_root || real.startsWith(`${tenant_root}/`)) return;
  throw leaves(
    reason,
    'part of the repository is outside the workspace: clone it without shared objects (git clone --no-hardlinks --dissociate)',
  );
}

/** The text of a small file, undefined if there is none. */
async function textOf(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return undefined;
  if (!stats.isFile() || stats.size > FILE_BYTES_MAX)
    throw leaves('not_a_file', 'a file of the repository is a link, a device or too large');
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function leaves(reason: string, message: string): ToolError {
  return refused('/repo', reason, message);
}
