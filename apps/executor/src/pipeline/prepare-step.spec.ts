import { beforeEach, expect, test } from 'vitest';
import { InFlightCalls } from '../calls/in-flight-calls.js';
import { Partition } from '../partitions/partition.js';
import { Partitions } from '../partitions/partitions.js';
import { FairQueue } from '../scheduling/fair-queue.js';
import { plainJob } from '../testing/plain-job.js';
import { PrepareStep } from './prepare-step.js';

const partitions = new Partitions();
let open: InFlightCalls;
let prepare: PrepareStep;
beforeEach(async () => {
  open = new InFlightCalls(10);
  await partitions.assign('shared', [0], async (lane, number) => new Partition(lane, number));
  prepare = new PrepareStep(undefined as never, open, partitions, new FairQueue(1, () => ({ weight: 1, running_max: 1 })));
});

const historyBelow = () => partitions.get('shared', 0).inputs.get('policy-decided')?.historyBelow;

test('a record that repeats a claimed call is acknowledged', () => {
  const job = plainJob('a');
  job.claimed = true;
  open.add(job, true);
  prepare.merge(plainJob('a'));
  expect(historyBelow()).toBe(1);
});

test('a record that repeats a tombstone stays open until its end is written: a takeover skips tombstones', () => {
  const job = plainJob('a');
  job.claimed = true;
  job.refusal = { why: 'cancelled', issues: [] };
  open.add(job, true);
  prepare.merge(plainJob('a'));
  expect(historyBelow()).toBe(0);
  prepare.acknowledge(job);
  expect(historyBelow()).toBe(1);
});

test('the next revision of a call is not finished by the end of the previous one, in any stage', () => {
  const first = plainJob('a', { offset: 0 });
  open.add(first, true);
  const second = plainJob('a', { offset: 1, revision: 2 });
  prepare.merge(second);
  prepare.merge(plainJob('a', { offset: 1, revision: 2 }));
  prepare.acknowledge(first);
  expect(historyBelow()).toBe(1);
  expect(first.next).toBe(second);
});

test('a call that is taken over keeps its next revision and the calls that joined it', () => {
  const known = plainJob('a');
  const joiner = plainJob('b');
  known.joiners = [joiner];
  known.next = plainJob('a', { revision: 2 });
  const adopted = plainJob('a');
  prepare.adopt(adopted, known);
  expect(adopted).toMatchObject({ joiners: [joiner], next: known.next, slot: true });
});
