import { chmod, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

const OTHERS = 0o077;
/** The platform's folders in the data directory. Other folders there (a workspace) are left alone. */
const FOLDERS = ['log', 'pg', 'blobs', 'audit'];

/**
 * Removes the permissions of group and others from the data directory and the platform's folders in it: files 0600, folders 0700. A
 * folder that is already private is not walked, so a start only checks each folder once.
 * @returns paths whose permissions could not be changed; they belong to another user
 */
export async function makePrivate(data_dir: string): Promise<string[]> {
  const entries = await readdir(data_dir, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() || (entry.isDirectory() && FOLDERS.includes(entry.name)));
  const left: string[] = [];
  for (const { name } of own) await close(path.join(data_dir, name), left);
  await take(data_dir, left);
  return left;
}

/** Restricts the content first, so that an interrupted walk finds the folder open again. */
async function close(place: string, left: string[]): Promise<void> {
  const stats = await lstat(place).catch(() => undefined);
  if (!stats || (stats.mode & OTHERS) === 0) return;
  if (stats.isDirectory()) for (const name of await readdir(place).catch(() => [])) await close(path.join(place, name), left);
  if (stats.isDirectory() || stats.isFile()) await take(place, left);
}

async function take(place: string, left: string[]): Promise<void> {
  try {
    const { mode } = await lstat(place);
    if ((mode & OTHERS) !== 0) await chmod(place, mode & 0o700);
  } catch (cause) {
    // Deleted since it was listed: nothing to restrict.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') left.push(place);
  }
}
