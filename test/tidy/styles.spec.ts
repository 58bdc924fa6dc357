import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { forbiddenNames } from './names.js';
import { readStyles } from './repository.js';
import { deepFolders, longFiles } from './sizes.js';
import { looseStyles, sharedClasses } from './styles.js';

const styles = readStyles(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..'));
const sheet = (text: string, file = 'apps/console/src/a/a.css') => ({ path: file, text });

test.each([
  'color: #fff;',
  'color: rgb(0 0 0 / 10%);',
  '@import "a.css";',
  'background: url(https://a.example/b.png);',
  'top: 0 !important;',
])('a style sheet with %s is found', (line) => {
  expect(looseStyles(sheet(line))).toHaveLength(1);
});

test('the sheet of tokens names colours, others use them', () => {
  expect(looseStyles(sheet('--text: #16191d;', 'apps/console/src/elements/tokens.css'))).toEqual([]);
  expect(looseStyles(sheet('color: var(--text);'))).toEqual([]);
});

test('style sheets of ours take their colours from the tokens, load nothing from elsewhere, force nothing, and are short', () => {
  expect(styles.length).toBeGreaterThan(5);
  const faults = styles.flatMap((style) => [...looseStyles(style), ...longFiles(style), ...forbiddenNames(style), ...deepFolders(style)]);
  expect(faults.map(({ path: file, line, message }) => `${file}:${line} ${message}`)).toEqual([]);
});

test('a class is defined in the sheets of one folder', () => {
  const twice = [sheet('.facts {'), sheet('.facts,', 'apps/console/src/b/b.css')];
  expect(sharedClasses(twice).map(({ path: file }) => file)).toEqual(['apps/console/src/b/b.css']);
  expect(sharedClasses([sheet('.facts {'), sheet('.panel .facts {', 'apps/console/src/b/b.css')])).toEqual([]);
  expect(sharedClasses(styles)).toEqual([]);
});
