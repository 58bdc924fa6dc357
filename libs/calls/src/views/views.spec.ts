import type { Row, Statement, Store } from '@countersign/store';
import { afterEach, expect, test, vi } from 'vitest';
import { AnsweredPositions } from './answered-positions.js';
import { Views } from './views.js';

const TOPIC = 'tool-executed';

afterEach(() => {
  vi.useRealTimers();
});

/** The position of the projection, and the number of reads. */
function world() {
  const projected = { next_offset: 0, reads: 0 };
  const query = async <R extends Row>(_statement: Statement) => {
    projected.reads++;
    return [{ topic: TOPIC, partition: 0, next_offset: projected.next_offset, hlc: 0 }] as unknown as R[];
  };
  const answered = new AnsweredPositions();
  const views = new Views({ query } as unknown as Store, answered, () => performance.now());
  return { projected, answered, views };
}

test('concurrent waiters share reads of the position: as many reads as one of them needs, however many wait', async () => {
  vi.useFakeTimers();
  const cost = async (waiting: number) => {
    const { projected, answered, views } = world();
    answered.note({ topic: TOPIC, partition: 0, offset: 5 });
    const reached = Array.from({ length: waiting }, () => views.caughtUp(0));
    await vi.advanceTimersByTimeAsync(100);
    projected.next_offset = 6;
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all(reached)).toEqual(reached.map(() => true));
    return projected.reads;
  };
  // 2, 4, 8, 16, 32, 50 and 50 ms apart, after the first one.
  expect(await cost(1)).toBeLessThan(9);
  expect(await cost(500)).toBe(await cost(1));
});

test('views that do not reach a position within a second count as behind', async () => {
  const { answered, views } = world();
  answered.note({ topic: TOPIC, partition: 0, offset: 5 });
  expect(await views.caughtUp(0)).toBe(false);
});
