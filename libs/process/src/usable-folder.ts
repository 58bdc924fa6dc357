import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CannotOpen } from './cannot-open.js';

const unusable = (variable: string, dir: string, why: string): string =>
  `${variable} ${dir} cannot be used (${why}): set a directory that this user may write`;

/** Creates a folder and its parents. Node's own recursive mkdir never returns on a file system that accepts no folders (`/proc`). */
async function made(dir: string, mode: number): Promise<void> {
  if (existsSync(dir)) return;
  await made(path.dirname(dir), mode);
  await mkdir(dir, { mode }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
  });
}

/** Creates the folder that a variable names if it is missing. @throws CannotOpen if this user cannot read and write there */
export async function usableFolder(variable: string, dir: string, mode = 0o777): Promise<void> {
  try {
    await made(path.resolve(dir), mode);
    if (!(await stat(dir)).isDirectory()) throw new Error('not a directory');
    await access(dir, constants.W_OK | constants.R_OK);
  } catch (cause) {
    throw new CannotOpen(unusable(variable, dir, (cause as Error).message), { cause });
  }
}

/**
 * A fault of a folder that is detectable before anything is created or opened: one line if it, or the parent in which it would be
 * created, is not a folder or not writable for this user. Only `usableFolder` knows whether it can be created.
 */
export function folderFault(variable: string, dir: string): string | undefined {
  const wanted = path.resolve(dir);
  let there = wanted;
  while (!existsSync(there) && there !== path.dirname(there)) there = path.dirname(there);
  try {
    if (!statSync(there).isDirectory()) return unusable(variable, dir, `${there} is a file`);
    accessSync(there, there === wanted ? constants.W_OK | constants.R_OK : constants.W_OK);
    return undefined;
  } catch (cause) {
    return unusable(variable, dir, (cause as Error).message);
  }
}
