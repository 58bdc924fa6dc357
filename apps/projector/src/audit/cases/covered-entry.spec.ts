import { BrokenRecord, type CheckpointRecord, type CheckpointStore } from '@countersign/evidence';
import { describe, expect, test } from 'vitest';
import { cutOfLeaf } from './covered-entry.js';

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

describe('the entry of a leaf', () => {
  test('has a cut', async () => {
    expect(await cutOfLeaf(store, { offset: 5, entry: 1 }, 1)).toEqual({ number: 1, state: 'closed' });
  });

  test.each([
    [0, 'cases offset 5 is a leaf for checkpoint 1, which has no cut: checkpoints were replaced'],
    [2, 'cases offset 5 is a leaf for checkpoint 3, which is missing: checkpoints were truncated'],
  ])('is damage at the leaf if its cut or the entry itself is missing (%d)', async (entry, reason) => {
    const found = await cutOfLeaf(store, { offset: 5, entry }, 2).catch((cause) => cause);
    expect(found).toBeInstanceOf(BrokenRecord);
    expect(found).toMatchObject({ message: reason, place: { topic: 'cases', first_offset: 5, last_offset: 5, generation: 2 } });
  });
});
