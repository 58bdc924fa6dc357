import { testContext } from '@countersign/tool-kit/test-context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchRecords } from '../scratch-records.js';
import { lookupRecord } from './lookup-record.js';

const entry = { id: 'A', valid_from: '2020-01-01T00:00:00Z', valid_to: '2021-01-01T00:00:00Z', fields: { name: 'a' } };
const register = (more: object) => ({ version: '1', complete_until: '2022-01-01T00:00:00Z', entries: [entry], ...more });
const world = scratchRecords({
  'registers/old.json': register({}),
  'registers/closed.json': register({ readers: ['boss'] }),
  'registers/damaged.json': '{"version":',
});
beforeAll(() => world.prepare?.());
afterAll(() => world.clean?.());

test.each([
  ['not_found', 'PROVIDER_ERROR', 'not_found', { identifier: 'B', source: 'old', as_of: '2020-06-01T00:00:00Z' }],
  ['not_found', 'PROVIDER_ERROR', 'not_found', { identifier: 'A', source: 'old', as_of: '2021-06-01T00:00:00Z' }],
  ['stale_replica', 'PROVIDER_ERROR', 'transient', { identifier: 'A', source: 'old' }],
  ['permission_denied', 'AUTH_REQUIRED', 'authorization', { identifier: 'A', source: 'closed', as_of: '2020-06-01T00:00:00Z' }],
  ['source_unavailable', 'PROVIDER_ERROR', 'transient', { identifier: 'A', source: 'damaged' }],
  ['source_unavailable', 'PROVIDER_ERROR', 'transient', { identifier: 'A', source: 'nowhere' }],
])('%s is %s of class %s', async (kind, code, errorClass, input) => {
  const ctx = testContext({ settings: world.settings?.() ?? {} });
  await expect(lookupRecord.run(input as never, ctx)).rejects.toMatchObject({
    code,
    more: { class: errorClass, effect: 'none', details: { exception: `lookup.${kind}` } },
  });
});
