import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchRecords } from '../scratch-records.js';
import { aggregateObjects } from './aggregate-objects.js';

const world = scratchRecords({
  'objects/secret.jsonl': JSON.stringify({ at: '2026-10-01T00:00:00Z', markings: ['top.secret'], fields: {} }),
  'objects/damaged.jsonl': '{"at":',
});
beforeAll(() => world.prepare?.());
afterAll(() => world.clean?.());

const window = { from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };
const ask = (collection: string, to = window.to) =>
  aggregateObjects.run(
    { query: { collection }, window: { ...window, to }, operation: 'count' } as never,
    testContext({ settings: world.settings?.() ?? {} }),
  );

test('a marking that the contract does not declare is refused, not dropped', async () => {
  await expect(ask('secret')).rejects.toMatchObject({
    code: 'POLICY_DENIED',
    more: { details: { exception: 'aggregate.undeclared_marking', markings: ['top.secret'] } },
  });
});

test('a missing or damaged collection, and a window that ends before it starts, are refused', async () => {
  await expect(ask('nothing')).rejects.toMatchObject({ more: { class: 'not_found' } });
  await expect(ask('damaged')).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  await expect(ask('secret', window.from)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
