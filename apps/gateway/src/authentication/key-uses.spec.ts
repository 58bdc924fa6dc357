import type { ApiKey } from '@countersign/domain';
import { createLogger } from '@countersign/process';
import type { Sql } from '@countersign/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KEY_USES_EVERY_MS, KeyUses } from './key-uses.js';

const logger = createLogger('gateway', 'silent');
const keyOf = (key_id: string) => ({ tenant_id: 'acme', key_id }) as ApiKey;
const [one, other] = [keyOf('k1'), keyOf('k2')];

let written: unknown[][];
let fails: boolean;
let now_ms: number;
let uses: KeyUses;
beforeEach(() => {
  vi.useFakeTimers();
  [written, fails, now_ms] = [[], false, 1000];
  const query = async ({ params }: { params: unknown[] }) => {
    if (fails) throw new Error('the store is unavailable');
    written.push(params);
    return [];
  };
  uses = new KeyUses({ query } as unknown as Sql, { now_ms: () => now_ms }, logger);
});
afterEach(() => vi.useRealTimers());

test('a key is written once in ten minutes, batched with others, however often it is used', async () => {
  for (let times = 0; times < 1000; times++) uses.note(one);
  uses.note(other);
  await vi.advanceTimersByTimeAsync(KEY_USES_EVERY_MS - 1);
  uses.note(one);
  expect(written).toEqual([
    [
      ['acme', 'acme'],
      ['k1', 'k2'],
      [1000, 1000],
    ],
  ]);
  await vi.advanceTimersByTimeAsync(1);
  now_ms = 700_000;
  uses.note(one);
  await uses.close();
  expect(written[1]).toEqual([['acme'], ['k1'], [700_000]]);
});

test('a key that a rename replaced meanwhile is written once', async () => {
  uses.note(one);
  uses.note(keyOf('k1'));
  await uses.close();
  expect(written).toEqual([[['acme'], ['k1'], [1000]]]);
});

test('an unavailable store loses the time of use, and fails no request', async () => {
  fails = true;
  uses.note(one);
  await vi.advanceTimersByTimeAsync(10_000);
  fails = false;
  await uses.close();
  expect(written).toEqual([]);
});

test('nothing is written without uses', async () => {
  await uses.close();
  expect([written, vi.getTimerCount()]).toEqual([[], 0]);
});
