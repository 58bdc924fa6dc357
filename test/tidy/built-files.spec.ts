import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { builtWithoutSource } from './built-files.js';
import { readSources } from './repository.js';

const sources = readSources(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'));
const paths = new Set(sources.map((source) => source.path));
const named = (file: string) => builtWithoutSource({ path: 'bench/a.mjs', text: `await dist('${file}');` }, paths);

test('a bench that loads a built file without a source is found', () => {
  expect(named(['libs/domain', 'dist/no-such-file.js'].join('/'))).toHaveLength(1);
  expect(named(['libs/policy', 'dist/index.js'].join('/'))).toEqual([]);
});

test('every built file that benches and scripts load has a source', () => {
  const scripts = sources.filter((source) => source.path.endsWith('.mjs'));
  expect(scripts.filter(({ text }) => /dist\//.test(text)).length).toBeGreaterThan(5);
  expect(scripts.flatMap((source) => builtWithoutSource(source, paths))).toEqual([]);
});
