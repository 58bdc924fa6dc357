import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callId, parseCallId, partitionOf, sagaPartition, uuidOfParts, uuidv7 } from './ids.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  test('UUIDv7 of one process ascend, even within a millisecond and when the clock steps back', () => {
    const times = [1000, 1000, 1001, 999, 1001, 2000];
    const ids = times.flatMap((time) => Array.from({ length: 3000 }, () => uuidv7(1_790_000_000_000 + time)));
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids.slice(0, 50)) expect(id).toMatch(UUID);
  });

  test('a call id contains its partition, and no other text parses as a call id', () => {
    fc.assert(
      fc.property(fc.nat(255), fc.nat(), (partition, time) => {
        const uuid = uuidv7(time);
        expect(parseCallId(callId(partition, uuid))).toEqual({ partition, uuid });
      }),
    );
    for (const bad of ['', '1', '-1-x', '01-0192f0c4-0000-7000-8000-000000000001', '1-0192F0C4-0000-7000-8000-000000000001', "1-' or 1=1"])
      expect(parseCallId(bad)).toBeUndefined();
  });

  test('equal parts give equal ids, and the boundaries of parts matter', () => {
    expect(uuidOfParts(['a', 'b'])).toBe(uuidOfParts(['a', 'b']));
    expect(uuidOfParts(['ab', 'c'])).not.toBe(uuidOfParts(['a', 'bc']));
    expect(uuidOfParts(['x'])).toMatch(UUID);
  });

  test('sagas of one id spread over the partitions by tenant', () => {
    const partitions = new Set(Array.from({ length: 64 }, (_, tenant) => sagaPartition(`tenant-${tenant}`, 'nightly', 4)));
    expect([...partitions].sort()).toEqual([0, 1, 2, 3]);
  });

  test('keys spread over the partitions', () => {
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 4000; i++) {
      const partition = partitionOf(uuidv7(1_790_000_000_000 + i), 4);
      counts[partition] = (counts[partition] as number) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(800);
  });
});
