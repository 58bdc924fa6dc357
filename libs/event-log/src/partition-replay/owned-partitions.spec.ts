import { beforeEach, expect, test } from 'vitest';
import type { TopicOffset } from '../event-log.js';
import { type OwnedPartition, OwnedPartitions } from './owned-partitions.js';

let steps: string[];
let owned: OwnedPartitions<Opened>;
beforeEach(() => {
  steps = [];
  owned = new OwnedPartitions();
});

class Opened implements OwnedPartition {
  private drained: () => void = () => undefined;

  constructor(
    readonly lane: string,
    readonly number: number,
    private readonly drains = false,
  ) {
    steps.push(`open ${number}`);
  }

  resumeFrom(): TopicOffset[] {
    return [{ topic: 'a', partition: this.number, offset: 10 + this.number }];
  }

  close(): Promise<void> {
    steps.push(`close ${this.number}`);
    if (!this.drains) return Promise.resolve();
    return new Promise((resolve) => {
      this.drained = resolve;
    });
  }

  drain(): void {
    this.drained();
  }
}

const open = async (lane: string, number: number) => new Opened(lane, number);
const known = () => [...owned.all()].map(({ lane, number }) => `${lane}/${number}`);

test('an assignment opens its partitions and returns the start offsets of their inputs', async () => {
  const offsets = await owned.assign('fast', [2, 0], open);
  expect(offsets).toEqual([
    { topic: 'a', partition: 2, offset: 12 },
    { topic: 'a', partition: 0, offset: 10 },
  ]);
  await owned.assign('slow', [0], open);
  expect(known()).toEqual(['fast/2', 'fast/0', 'slow/0']);
  expect([owned.at('fast', 0)?.lane, owned.at('slow', 0)?.lane, owned.at('slow', 2)]).toEqual(['fast', 'slow', undefined]);
});

test('a partly failed assignment leaves nothing open, and the fault goes to the subscription', async () => {
  await owned.assign('fast', [0, 3], open);
  steps = [];
  const failing = owned.assign('fast', [0, 1, 2, 3], async (lane, number) => {
    if (number === 2) throw new Error('the store does not answer');
    return open(lane, number);
  });
  await expect(failing).rejects.toThrow('the store does not answer');
  expect(steps).toEqual(['close 0', 'open 0', 'open 1', 'close 0', 'close 1', 'close 3']);
  expect(known()).toEqual([]);
});

test('a partition that is assigned while it is open is closed before it is opened again', async () => {
  await owned.assign('fast', [1], open);
  await owned.assign('fast', [1], open);
  expect(steps).toEqual(['open 1', 'close 1', 'open 1']);
  expect(known()).toEqual(['fast/1']);
});

test('a revoked partition is not found from the call on, and the call waits until all are closed', async () => {
  await owned.assign('fast', [0, 1, 2], async (lane, number) => new Opened(lane, number, number === 0));
  const slow = owned.at('fast', 0) as Opened;
  let done = false;
  const revoking = owned.revoke('fast', [0, 1, 7]).then(() => {
    done = true;
  });
  expect(known()).toEqual(['fast/2']);
  expect(steps.slice(3)).toEqual(['close 0', 'close 1']);
  await Promise.resolve();
  expect(done).toBe(false);
  slow.drain();
  await revoking;
  await owned.closeAll();
  expect([known(), steps.at(-1)]).toEqual([[], 'close 2']);
});
