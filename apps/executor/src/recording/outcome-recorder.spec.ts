import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { InFlightCalls } from '../calls/in-flight-calls.js';
import type { Job } from '../calls/job.js';
import { Partition } from '../partitions/partition.js';
import { Partitions } from '../partitions/partitions.js';
import { plainJob } from '../testing/plain-job.js';
import { OutcomeRecorder } from './outcome-recorder.js';

async function endsOn(partition: Partition) {
  const appended: unknown[] = [];
  const partitions = new Partitions();
  await partitions.assign('shared', [0], async () => partition);
  const parts = {
    writer: { rejudged: () => 'rejudged', executed: () => 'executed' },
    appender: { append: async (records: unknown[]) => appended.push(...records) && records.map((_, at) => at) },
    lease: { epoch: 1, check: () => true },
    judge: { configOffset: 0 },
    recorded: { publish: () => undefined },
  };
  return { ends: new OutcomeRecorder(parts as never, partitions, new InFlightCalls(10)), appended };
}

const stricter = { kind: 'stricter' as const, ruling: {} as never };
const ended = { kind: 'ended' as const, outcome: { status: 'failed', effect: 'none', ended_at_ms: 1 } as never };

async function write(partition: Partition, verdict: NonNullable<Job['verdict']>, claimed: boolean) {
  const { ends, appended } = await endsOn(partition);
  const job = plainJob('a');
  job.verdict = verdict;
  job.claimed = claimed;
  job.enter('ending');
  ends.write(job);
  await setImmediate();
  return { event: await ends.sent(job), appended };
}

test('only the owner of the partition records that policy must decide again', async () => {
  const partition = new Partition('shared', 0);
  expect(await write(partition, stricter, false)).toEqual({ event: 'end_sent', appended: ['rejudged'] });
  partition.close();
  expect(await write(partition, stricter, false)).toEqual({ event: 'not_owner', appended: [] });
});

test('a call without a row that has an end on the log gets no second one; one that owns its row does', async () => {
  const partition = new Partition('shared', 0);
  partition.ended('a', { state: 'released', end_offset: 7, ended_at_ms: 1, revision: Number.POSITIVE_INFINITY });
  expect(await write(partition, ended, false)).toEqual({ event: 'recorded_elsewhere', appended: [] });
  expect(await write(partition, ended, true)).toEqual({ event: 'end_sent', appended: ['executed'] });
});
