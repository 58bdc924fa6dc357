import { chmod, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

const OTHERS = 0o077;
/** What the platform keeps in folders of its data directory. Others there (a workspace) are not its own. */
const FOLDERS = ['log', 'pg', 'blobs', 'audit'];

/**
 * Takes the rights of group and others from the data directory and from what the platform keeps there: files 0600, folders
 * 0700. A folder that is closed already is not walked, so a start costs a look at each of them.
 * @returns paths whose rights could not be changed; they belong to another user
 */
export async function makePrivate(data_dir: string): Promise<string[]> {
  const entries = await readdir(data_dir, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() || (entry.isDirectory() && FOLDERS.includes(entry.name)));
  const left: string[] = [];
  for (const { name } of own) await close(path.join(data_dir, name), left);
  await take(data_dir, left);
  return left;
}

/** Its content first: a walk that was cut short finds the folder open again. */
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
