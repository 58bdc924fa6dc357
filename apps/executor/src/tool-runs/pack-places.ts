import { existsSync } from 'node:fs';
import path from 'node:path';

const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** True if the name is the path of an external module or folder. */
const isPath = (name: string): boolean => /^\.{0,2}\//.test(name);

/** The folder of an installed npm package, looked for as Node does: in `node_modules` here and in every folder above. */
function installed(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const place = path.join(folder, 'node_modules', name);
    if (existsSync(path.join(place, 'package.json'))) return place;
    if (path.dirname(folder) === folder) return undefined;
  }
}

/**
 * Where an external pack is: the path of a module or a folder, or the folder of an installed npm package.
 * Undefined: nothing is there.
 */
export function placeOf(name: string, from: string = process.cwd()): string | undefined {
  if (!isPath(name)) return PACKAGE.test(name) ? installed(name, from) : undefined;
  const place = path.resolve(from, name);
  return existsSync(place) ? place : undefined;
}
