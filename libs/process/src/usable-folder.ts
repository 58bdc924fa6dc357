import { constants, existsSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CannotOpen } from './cannot-open.js';

/** Makes a folder and those above it. Node's own recursive mkdir never comes back where a file system takes no folders (`/proc`). */
async function made(dir: string, mode: number): Promise<void> {
  if (existsSync(dir)) return;
  await made(path.dirname(dir), mode);
  await mkdir(dir, { mode }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
  });
}

/** Makes the folder that a variable names where it is missing. @throws CannotOpen where this user can't read and write there */
export async function usableFolder(variable: string, dir: string, mode = 0o777): Promise<void> {
  try {
    await made(path.resolve(dir), mode);
    if (!(await stat(dir)).isDirectory()) throw new Error('not a directory');
    await access(dir, constants.W_OK | constants.R_OK);
  } catch (cause) {
    throw new CannotOpen(`${variable} ${dir} cannot be used (${(cause as Error).message}): give a directory that this user may write`, {
      cause,
    });
  }
}
