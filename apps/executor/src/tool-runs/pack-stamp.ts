import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '@countersign/contracts';

/** Files of a pack that are looked at: its code and its package.json. Data that its tools keep beside them, and libraries, do not count. */
const FILES_MAX = 2_000;
const SKIPPED = /^(node_modules$|\.)/;
const CODE = /(\.(m?[jt]s|cjs)|^package\.json)$/;

async function codeIn(folder: string, found: string[] = []): Promise<string[]> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (found.length >= FILES_MAX || SKIPPED.test(entry.name)) continue;
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await codeIn(place, found);
    else if (CODE.test(entry.name)) found.push(place);
  }
  return found;
}

/** Changes with the code of a pack: paths, sizes and times of its files. Undefined: it cannot be read now. */
export async function packStamp(place: string): Promise<string | undefined> {
  try {
    const files = (await stat(place)).isDirectory() ? (await codeIn(place)).sort() : [place];
    const stamps = await Promise.all(files.map(async (file) => [file, await stat(file)] as const));
    return sha256Hex(stamps.map(([file, { mtimeMs, size }]) => `${file} ${size} ${mtimeMs}`).join('\n'));
  } catch {
    return undefined;
  }
}
