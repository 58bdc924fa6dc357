import { InfrastructureFault } from '@countersign/contracts';
import { expect, test } from 'vitest';
import type { LogRecord } from '../event-log.js';
import type { DeadLetters } from './dead-letters.js';
import type { Recorded } from './event-batch.js';
import { FaultPolicy } from './fault-policy.js';

const event = (offset: number) => ({ topic: 'policy-decided', partition: 0, offset }) as Recorded;
const record = (offset: number) => ({ topic: 'policy-decided', partition: 0, offset }) as LogRecord;

/** A policy that records its warnings and its dead letters. */
function aPolicy(onWarning: () => void = () => undefined) {
  const asideOffsets: number[] = [];
  const warnings: Record<string, unknown>[] = [];
  const letters = { put: async ({ record: { offset } }: { record: LogRecord }) => void asideOffsets.push(offset) };
  const sink = {
    warn: (fields: Record<string, unknown>) => {
      warnings.push(fields);
      onWarning();
    },
    error: () => undefined,
  };
  return { policy: new FaultPolicy(letters as unknown as DeadLetters, async () => undefined, sink), asideOffsets, warnings };
}

test('an infrastructure fault is waited out; nothing is set aside', async () => {
  const { policy, asideOffsets, warnings } = aPolicy();
  let attempts = 0;
  const run = async () => {
    if (++attempts < 3) throw new InfrastructureFault('the store is unavailable');
  };
  await policy.deliver([event(1)], [record(1)], run);
  expect([attempts, asideOffsets]).toEqual([3, []]);
  expect(warnings).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
});

test('the record that cannot be handled is found and set aside, and the others are handled', async () => {
  const { policy, asideOffsets } = aPolicy();
  const handled: number[] = [];
  const run = async (part: readonly Recorded[]) => {
    if (part.some(({ offset }) => offset === 3)) throw new TypeError('no such field');
    handled.push(...part.map(({ offset }) => offset));
  };
  const offsets = [1, 2, 3, 4, 5];
  await policy.deliver(offsets.map(event), offsets.map(record), run);
  expect([handled, asideOffsets]).toEqual([[1, 2, 4, 5], [3]]);
});

test('a reader that stops while the store is unavailable leaves the batch to the next reader: it is neither handled nor set aside', async () => {
  const { policy, asideOffsets } = aPolicy(() => policy.stop());
  const run = () => Promise.reject(new InfrastructureFault('the store is unavailable'));
  await expect(policy.deliver([event(1), event(2)], [record(1), record(2)], run)).rejects.toThrow('policy-decided');
  expect(asideOffsets).toEqual([]);
});
