import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from './packages.js';
import type { SourceText } from './source.js';

const SKIPPED = new Set(['node_modules', 'dist', '.git', 'site']);

function* filesBelow(root: string, folder: string, wanted = /\.(tsx?|mjs)$/): Generator<string> {
  if (!existsSync(path.join(root, folder))) return;
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* filesBelow(root, file, wanted);
    else if (wanted.test(entry.name) && !entry.name.endsWith('.d.ts')) yield file;
  }
}

/** Every source file of ours: TypeScript of the rooms and the test, scripts and benches. */
export function readSources(root: string): SourceText[] {
  return ['apps', 'libs', 'packs', 'test', 'bench', 'scripts'].flatMap((folder) =>
    [...filesBelow(root, folder)].map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') })),
  );
}

/** Every style sheet of ours. */
export function readStyles(root: string): SourceText[] {
  return [...filesBelow(root, 'apps', /\.css$/)].map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }));
}

/** What the build made of the TypeScript sources, under their own paths. */
export function readCompiled(root: string, sources: readonly SourceText[]): SourceText[] {
  return sources.flatMap(({ path: source }) => {
    if (!/\.tsx?$/.test(source)) return [];
    const built = source.startsWith('test/') ? source.replace('test/', 'test/dist/') : source.replace('/src/', '/dist/');
    const file = path.join(root, built.replace(/\.tsx?$/, '.js'));
    return existsSync(file) ? [{ path: source, text: readFileSync(file, 'utf8') }] : [];
  });
}

export function readManifests(root: string): Manifest[] {
  return ['apps', 'libs', 'packs'].flatMap((top) =>
    readdirSync(path.join(root, top)).flatMap((name) => {
      const folder = `${top}/${name}`;
      const file = path.join(root, folder, 'package.json');
      if (!existsSync(file)) return [];
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as { name: string; dependencies?: Record<string, string> };
      return [{ folder, name: manifest.name, dependencies: manifest.dependencies ?? {} }];
    }),
  );
}
