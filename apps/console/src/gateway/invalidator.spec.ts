import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { expect, test } from 'vitest';
import { Invalidator } from './invalidator.js';

test('what a person has just changed is read again at once, and is there when the change resolves', async () => {
  const client = new QueryClient();
  const invalidator = new Invalidator(client);
  let version = 1;
  const observer = new QueryObserver(client, { queryKey: ['configuration', 'list'], queryFn: async () => version, staleTime: 60_000 });
  const stop = observer.subscribe(() => undefined);
  await expect.poll(() => observer.getCurrentResult().data).toBe(1);
  version = 2;
  await invalidator.now([{ kind: 'configuration' }]);
  expect(client.getQueryData(['configuration', 'list'])).toBe(2);
  stop();
});
