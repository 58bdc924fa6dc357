import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Conditions of `exports` that a pack is loaded with; the first that its package.json lists counts. */
const CONDITIONS: ReadonlySet<string> = new Set(['node', 'import', 'default', 'module-sync']);
const USUAL = ['index.js', 'index.mjs', 'index.ts', 'index.mts', 'src/index.ts'];

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first target of `exports` for an import; undefined: there is none. */
function targetOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) return exports.map(targetOf).find((target) => target !== undefined);
  if (!isRecord(exports)) return undefined;
  if ('.' in exports) return targetOf(exports['.']);
  for (const [condition, value] of Object.entries(exports)) {
    const target = CONDITIONS.has(condition) ? targetOf(value) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

/** @throws Error if package.json is not a JSON object */
function manifestOf(folder: string): Record<string, unknown> {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return {};
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new Error('its package.json is not JSON');
  }
  if (!isRecord(manifest)) throw new Error('its package.json is not an object');
  return manifest;
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/**
 * The module that exports the pack: the file itself; of a folder what its package.json names (`exports`, else `main`), else `index.js`,
 * `index.ts` or `src/index.ts`.
 * @param place path of a module, or of the folder of a package
 * @throws Error that says what is missing
 */
export function packEntry(place: string): URL {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found) throw new Error(`${place} does not exist`);
  if (!found.isDirectory()) return pathToFileURL(place);
  const { exports, main } = manifestOf(place);
  const target = exports === undefined ? main : targetOf(exports);
  if (exports !== undefined && target === undefined) throw new Error('its package.json exports no module for import');
  if (typeof target === 'string' && target !== '') {
    const file = path.resolve(place, target);
    if (isFile(file)) return pathToFileURL(file);
    throw new Error(`its package.json names ${target}, which does not exist: build the pack first`);
  }
  const usual = USUAL.find((name) => isFile(path.join(place, name)));
  if (usual === undefined) throw new Error(`its folder has no package.json with exports or main, and none of ${USUAL.join(', ')}`);
  return pathToFileURL(path.join(place, usual));
}
