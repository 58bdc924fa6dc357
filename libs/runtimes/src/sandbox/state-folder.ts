import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, opendir } from 'node:fs/promises';
import path from 'node:path';

/** Where a process finds its state inside of the sandbox. */
export const STATE_INSIDE = '/state';

/** Files and folders that are counted; a folder with more counts as full. */
const ENTRIES_MAX = 20_000;

/** Files that outlive a process, and how large they may become. */
export interface StateFolder {
  readonly folder: string;
  readonly bytes_max: number;
}

/** Whose state it is. */
export interface StateOwner {
  readonly tenant_id: string;
  readonly upstream: string;
  /** Null: the processes of the workspace. */
  readonly user_id: string | null;
}

/** The folder of one owner below that of a command, created for the executor's user alone. */
export async function stateFolderOf(below: string, { tenant_id, upstream, user_id }: StateOwner): Promise<string> {
  const user = user_id === null ? 'workspace' : `user-${createHash('sha256').update(user_id).digest('hex').slice(0, 32)}`;
  const folder = path.join(below, tenant_id, upstream, user);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The program may have changed its own folder: others of the machine must not enter it.
  await chmod(folder, 0o700);
  return folder;
}

/** Whether the files of a state take more than they may. What cannot be counted counts as too much. */
export async function isOverfull({ folder, bytes_max }: StateFolder, entries_max = ENTRIES_MAX): Promise<boolean> {
  let bytes = 0;
  let entries = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        const place = path.join(next, entry.name);
        if (++entries > entries_max) return true;
        if (entry.isDirectory()) folders.push(place);
        // On disk: a file with holes takes less than its size, and a small one more.
        bytes += (await lstat(place)).blocks * 512;
        if (bytes > bytes_max) return true;
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return true;
    }
  }
  return false;
}
