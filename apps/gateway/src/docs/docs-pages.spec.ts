import { expect, test } from 'vitest';
import { DocsPages, sectionsOf } from './docs-pages.js';

test('a page is rendered section by section: a heading in a code block begins none', () => {
  const page = '# One\ntext\n## Two\n```sh\n## no heading\n```\n### Three\nend\n';
  expect(sectionsOf(page)).toEqual(['# One\ntext\n', '## Two\n```sh\n## no heading\n```\n', '### Three\nend\n\n']);
});

test('every section of the longest page is rendered once', async () => {
  const page = (await new DocsPages().page('reference/events')) as string;
  expect(page.match(/<h1 /g)).toHaveLength(1);
  const anchors = [...page.matchAll(/<h2 id="([^"]+)"/g)].map((match) => match[1]);
  expect([anchors.length > 5, new Set(anchors).size]).toEqual([true, anchors.length]);
});
