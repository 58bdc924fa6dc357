import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { packEntry } from './pack-entry.js';

const root = mkdtempSync(path.join(tmpdir(), 'countersign-entry-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
function folder(files: Readonly<Record<string, string>>): string {
  const made = path.join(root, String(folders++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
    writeFileSync(path.join(made, name), text);
  }
  return made;
}
const withManifest = (manifest: unknown, ...names: string[]) =>
  folder({ 'package.json': JSON.stringify(manifest), ...Object.fromEntries(names.map((name) => [name, ''])) });
const entryIn = (place: string) => path.relative(place, new URL(packEntry(place)).pathname);

test('a module is its own entry', () => {
  const place = path.join(folder({ 'pack.mjs': '' }), 'pack.mjs');
  expect(packEntry(place).href).toBe(pathToFileURL(place).href);
});

test.each<[what: string, manifest: unknown, files: string[], entry: string]>([
  ['exports as text', { exports: './a.js', main: './b.js' }, ['a.js', 'b.js'], 'a.js'],
  ['exports by condition', { exports: { '.': { types: './a.d.ts', browser: './w.js', import: './a.js' } } }, ['a.js', 'w.js'], 'a.js'],
  ['nested conditions', { exports: { node: { import: './a.js' }, default: './b.js' } }, ['a.js', 'b.js'], 'a.js'],
  ['main', { main: 'lib/a.js' }, ['lib/a.js'], 'lib/a.js'],
  ['nothing named', {}, ['index.ts'], 'index.ts'],
  ['sources in src', {}, ['src/index.ts'], 'src/index.ts'],
])('the entry of a folder: %s', (_what, manifest, files, entry) => {
  expect(entryIn(withManifest(manifest, ...files))).toBe(entry);
});

test.each<[what: string, place: () => string, fault: RegExp]>([
  [
    'a folder that was not built',
    () => withManifest({ exports: './dist/index.js' }),
    /names \.\/dist\/index\.js, which does not exist: build/,
  ],
  ['exports without a module', () => withManifest({ exports: { './other': './a.js' } }, 'a.js'), /exports no module/],
  ['a manifest that is no JSON', () => folder({ 'package.json': '{' }), /package\.json is not JSON/],
  ['an empty folder', () => folder({ 'readme.md': '' }), /none of index\.js/],
  ['nothing at all', () => path.join(root, 'absent'), /does not exist/],
])('%s is named as the fault', (_what, place, fault) => {
  expect(() => packEntry(place())).toThrow(fault);
});
