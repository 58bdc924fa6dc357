import { BrokenRecord, type CheckpointRecord, type CheckpointStore } from '@countersign/evidence';
import { describe, expect, test } from 'vitest';
import { cutWithLeaves } from './covered-entry.js';

const record = (number: number, more: Partial<CheckpointRecord> = {}): CheckpointRecord => ({
  ...{ number, time_ms: 1, trees: 0, heads_root: '', full: false, heads: [], note: '' },
  ...more,
});

/** A store with the entries 0, without a cut, and 1, with one. */
const store = {
  at: async (number: number) => {
    const found = [record(0), record(1, { cut: { number: 1, state: 'closed' } })][number];
    return found && { record: found, heads: new Map() };
  },
} as unknown as CheckpointStore;

describe('an entry that has leaves of cases', () => {
  test('has a cut', async () => {
    expect(await cutWithLeaves(store, 1)).toEqual({ number: 1, state: 'closed' });
  });

  test.each([
    [0, 'cases have leaves for checkpoint 1, which has no cut: checkpoints were replaced'],
    [2, 'cases have leaves for checkpoint 3, which is missing: checkpoints were truncated'],
  ])('is damage if its cut or the entry itself is missing (%d)', async (number, reason) => {
    await expect(cutWithLeaves(store, number)).rejects.toThrow(reason);
    await expect(cutWithLeaves(store, number)).rejects.toThrow(BrokenRecord);
  });
});
