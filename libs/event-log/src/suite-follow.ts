import { describe, expect, test } from 'vitest';
import { Collector, eventually, record, records, topicName } from './suite-fixture.js';
import type { SuiteLog } from './suite-log.js';

/** Readers without a group. */
export function describeFollowers(suite: SuiteLog, timeout_ms: number): void {
  describe('follow', () => {
    test(
      'starts at the start, at the head or at given offsets, and continues with appended records',
      async () => {
        const log = await suite.open();
        const topic = topicName('follow');
        await log.ensureTopics([{ name: topic, partitions: 2 }]);
        const offsets = await log.append(records(topic, 10, 'old'));
        const [start, head, given] = [new Collector(), new Collector(), new Collector()];
        const follower = { topics: [topic], visibility: 'durable', batch_records_max: 100 } as const;
        const runs = [
          await log.follow({ ...follower, from: 'start', onBatch: start.onBatch }),
          await log.follow({ ...follower, from: 'head', onBatch: head.onBatch }),
          await log.follow({ ...follower, from: [{ topic, partition: 0, offset: offsets[7]! }], onBatch: given.onBatch }),
        ];
        await Promise.all(runs.map((run) => run.caughtUp()));
        await log.append([...records(topic, 2, 'new'), record(topic, 'other', 1)]);
        await eventually('all three have the new records', () =>
          [start, head, given].every(({ values }) => values.filter((v) => /new|other/.test(v)).length === 3),
        );
        const partitionOf = (collector: Collector, partition: number) =>
          collector.batches
            .filter((batch) => batch.partition === partition)
            .flatMap((batch) => batch.records.map(({ value }) => value.toString()));
        const old = Array.from({ length: 10 }, (_, at) => `old-${at}`);
        expect(partitionOf(start, 0)).toEqual([...old, 'new-0', 'new-1']);
        expect(partitionOf(head, 0)).toEqual(['new-0', 'new-1']);
        expect(partitionOf(given, 0)).toEqual([...old.slice(7), 'new-0', 'new-1']);
        for (const collector of [start, head, given]) expect(partitionOf(collector, 1)).toEqual(['other']);
        for (const run of runs) await run.close();
      },
      timeout_ms,
    );

    test(
      'a reader of appended records receives each once and in order',
      async () => {
        const log = await suite.open();
        const topic = topicName('appended');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        const reader = new Collector();
        const run = await log.follow({
          topics: [topic],
          visibility: 'appended',
          batch_records_max: 7,
          from: 'start',
          onBatch: reader.onBatch,
        });
        for (let at = 0; at < 40; at++) await log.append([record(topic, `r-${at}`)]);
        await eventually('all 40 are there', () => reader.values.length >= 40);
        expect(reader.values).toEqual(Array.from({ length: 40 }, (_, at) => `r-${at}`));
        await run.close();
      },
      timeout_ms,
    );

    test(
      'reports when it has everything: staleness is short then, and after close nothing arrives',
      async () => {
        const log = await suite.open();
        const topic = topicName('silence');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        await log.append(records(topic, 5));
        const reader = new Collector();
        const run = await log.follow({
          topics: [topic],
          visibility: 'durable',
          batch_records_max: 2,
          from: 'start',
          onBatch: reader.onBatch,
        });
        await run.caughtUp();
        expect(reader.values.length).toBe(5);
        await eventually('it has heard from the topic', () => run.staleness_ms(topic) < 1_500);
        await run.close();
        await log.append(records(topic, 5));
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(reader.values.length).toBe(5);
      },
      timeout_ms,
    );
  });
}
