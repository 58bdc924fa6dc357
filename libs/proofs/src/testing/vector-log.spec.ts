import { expect, test } from 'vitest';
import { publishedPage, vectorsOf, withVectors } from './published-vector.js';
import { vectorLog } from './vector-log.js';

test('docs/reference/proofs.md shows each vector as it is computed: npm run docs writes them', async () => {
  const computed = await vectorLog();
  const published = vectorsOf(publishedPage());
  expect(Object.fromEntries(Object.keys(computed).map((name) => [name, published.get(name)]))).toEqual(
    JSON.parse(JSON.stringify(computed)),
  );
  expect(withVectors(publishedPage(), computed)).toBe(publishedPage());
});

test('a page with another hash, or without a vector, differs', async () => {
  const computed = await vectorLog();
  const other = publishedPage().replace(computed.entries[1]?.hash as string, computed.entries[0]?.hash as string);
  expect(withVectors(other, computed)).not.toBe(other);
  expect(Object.fromEntries(vectorsOf(publishedPage().replace('<!-- vector keys -->', '')))).not.toHaveProperty('keys');
});
