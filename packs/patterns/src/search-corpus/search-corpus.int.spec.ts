import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchRecords } from '../scratch-records.js';
import { searchCorpus } from './search-corpus.js';

const world = scratchRecords({
  'corpora/notes/corpus.json': { markings: ['internal', 'pii.medium'] },
  'corpora/notes/a.md': 'A person.',
});
beforeAll(() => world.prepare?.());
afterAll(() => world.clean?.());

const search = (clearances: string[], query = 'person') =>
  searchCorpus.run({ query, corpus: 'notes' } as never, testContext({ settings: world.settings?.() ?? {}, clearances }));

test('a caller who lacks a clearance is refused, even if nothing would have been found', async () => {
  for (const query of ['person', 'nothing']) {
    await expect(search(['internal'], query)).rejects.toMatchObject({
      code: 'POLICY_DENIED',
      more: { effect: 'none', details: { exception: 'search.insufficient_clearance', markings: ['pii.medium'] } },
    });
  }
  await expect(search(['*'])).resolves.toMatchObject({ spans: [{ text: 'A person.' }] });
});

test('a snapshot id is stable while the corpus is, and changes with it', async () => {
  const before = await search(['internal', 'pii.medium']);
  expect(await search(['internal', 'pii.medium'])).toEqual(before);
  appendFileSync(join(world.root(), 'test/corpora/notes/a.md'), '\n\nAnother person.');
  const after = (await search(['internal', 'pii.medium'])) as { retrieval_snapshot_id: string };
  expect(after.retrieval_snapshot_id).not.toBe((before as { retrieval_snapshot_id: string }).retrieval_snapshot_id);
});
