import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PgliteStore } from '@countersign/store';
import { describe, expect, test } from 'vitest';
import { TimestampFolder } from './timestamp-folder.js';
import type { TimestampStore } from './timestamp-store.js';
import { TimestampTable } from './timestamp-table.js';

const stamped = (number: number, token = 'AAAA') => ({ number, note: `note ${number}`, token, time_ms: 1_790_000_000_000 + number });

async function keepsAll(store: TimestampStore): Promise<void> {
  expect([await store.newest(), await store.covering(0)]).toEqual([undefined, undefined]);
  for (const number of [3, 1_000, 12]) await store.add(stamped(number));
  await store.add(stamped(12, 'BBBB'));
  expect(await store.newest()).toEqual(stamped(1_000));
  const covering = await Promise.all([0, 3, 4, 12, 13, 1_000, 1_001].map((number) => store.covering(number)));
  expect(covering).toEqual([stamped(3), stamped(3), stamped(12), stamped(12), stamped(1_000), stamped(1_000), undefined]);
}

describe('timestamped checkpoints', () => {
  test('are kept in a folder, found by what they cover, the first token of each', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'timestamps-'));
    try {
      await keepsAll(new TimestampFolder(path.join(dir, 'timestamps')));
      expect(await new TimestampFolder(path.join(dir, 'timestamps')).newest()).toEqual(stamped(1_000));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  test('are kept in a table in the same way', async () => {
    const store = await PgliteStore.open({ memory: true });
    try {
      await keepsAll(new TimestampTable(store));
    } finally {
      await store.close();
    }
  });
});
