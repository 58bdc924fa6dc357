import type { Row, Sql } from '@countersign/store';
import { expect, test } from 'vitest';
import { SharedClock } from './shared-clock.js';

/** A database whose clock is `ahead_ms` before the monotonic one; each response takes the configured time. */
class FakeDatabase implements Sql {
  monotonic = 1000;
  ahead_ms = 5_000_000;
  fault: Error | undefined;
  constructor(private readonly took_ms: number[]) {}

  monotonic_ms(): number {
    return this.monotonic;
  }

  async query<R extends Row>(): Promise<R[]> {
    if (this.fault) throw this.fault;
    const took_ms = this.took_ms.shift() ?? 2;
    this.monotonic += took_ms / 2;
    const now_ms = this.monotonic + this.ahead_ms;
    this.monotonic += took_ms / 2;
    return [{ now_ms }] as unknown as R[];
  }
}

test('is the time of the database, by its fastest response, and advances with the monotonic clock', async () => {
  const database = new FakeDatabase([400, 2, 100]);
  const clock = await SharedClock.start(database, database);
  expect(clock.now_ms()).toBe(Math.floor(database.monotonic + 5_000_000));
  database.monotonic += 777;
  expect(clock.now_ms()).toBe(Math.floor(database.monotonic + 5_000_000));
  clock.close();
});

test('follows the database, and continues while it is unavailable', async () => {
  const database = new FakeDatabase([]);
  const clock = await SharedClock.start(database, database);
  database.ahead_ms += 50;
  await clock.adjust();
  expect(clock.now_ms()).toBe(Math.floor(database.monotonic + 5_000_050));
  database.fault = new Error('unavailable');
  await clock.adjust();
  expect(clock.now_ms()).toBe(Math.floor(database.monotonic + 5_000_050));
  clock.close();
});
