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

test('drawings and screenshots are served by their type; no other file and no other folder is', async () => {
  const pages = new DocsPages();
  expect(await pages.image('flow.svg')).toMatchObject({ content_type: 'image/svg+xml' });
  expect(await pages.image('console-inbox.webp')).toMatchObject({ content_type: 'image/webp' });
  for (const name of ['../README.md', 'flow.svg.md', 'none.webp', '.webp', '..%2fflow.svg'])
    expect([name, await pages.image(name)]).toMatchObject([name, { kind: 'not-found' }]);
});
