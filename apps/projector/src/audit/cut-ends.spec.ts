import { expect, test } from 'vitest';
import { CutEnds, OPEN_AFTER_MS } from './cut-ends.js';

/** A log with one topic of two partitions, and a reader of it. */
class ReadLog {
  readonly ends = [5, 3];
  readonly read = [0, 0];
  failing: number | undefined;
  now_ms = 0;
  readonly cut = new CutEnds(this, ['t'], () => this.now_ms);

  partitions = () => 2;

  async head(_topic: string, partition: number): Promise<number> {
    if (partition === this.failing) throw new Error('no leader');
    return this.ends[partition] as number;
  }

  state = () => this.cut.state((_, partition) => this.read[partition] as number);
}

test('a cut is signed once every partition was read to its end after the cut before, whatever came since', async () => {
  const log = new ReadLog();
  await log.cut.take();
  log.ends[0] = 100;
  log.read.splice(0, 2, 5, 2);
  expect(await log.state()).toBeUndefined();
  log.read.splice(0, 2, 5, 3);
  expect(await log.state()).toBe('closed');
});

test('a partition that is unread for 10 s gives open cuts, until its end of before is read', async () => {
  const log = new ReadLog();
  await log.cut.take();
  log.read.splice(0, 2, 5, 0);
  log.now_ms = OPEN_AFTER_MS - 1;
  expect(await log.state()).toBeUndefined();
  log.now_ms = OPEN_AFTER_MS;
  expect([await log.state(), await log.state()]).toEqual(['open', 'open']);
  log.read[1] = 3;
  expect(await log.state()).toBe('closed');
});

test('a partition whose end the log does not tell is unread', async () => {
  const log = new ReadLog();
  log.failing = 1;
  await log.cut.take();
  log.read.splice(0, 2, 5, 3);
  expect(await log.state()).toBeUndefined();
  log.now_ms = OPEN_AFTER_MS;
  expect(await log.state()).toBe('open');
  log.failing = undefined;
  log.ends[1] = 4;
  expect(await log.state()).toBe('open');
  log.read[1] = 4;
  expect(await log.state()).toBe('closed');
});
