import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

/** Links of a page to files that do not exist, as `page: link`. */
function brokenLinks(page: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link as string)
    .filter((link) => !/^([a-z]+:|#|\/)/.test(link))
    .filter((link) => !existsSync(path.join(root, path.dirname(page), link.split('#')[0] as string)))
    .map((link) => `${page}: ${link}`);
}

test('a link to a file that does not exist is found', () => {
  expect(brokenLinks('docs/a.md', '[here](README.md#top) [gone](nowhere.md)')).toEqual(['docs/a.md: nowhere.md']);
});

test('every relative link of a page leads to a file', () => {
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.flatMap((page) => brokenLinks(page, readFileSync(path.join(root, page), 'utf8')))).toEqual([]);
});
