import { describe, expect, test } from 'vitest';
import { Collector, eventually, record, records, topicName } from './suite-fixture.js';
import type { SuiteLog } from './suite-log.js';

/** One member of a group: delivery, failure, commits. */
export function describeSubscriptions(suite: SuiteLog, timeout_ms: number): void {
  describe('subscription', () => {
    test(
      'delivers a large backlog in order, in batches of at most batch_records_max, and reports when it has caught up',
      async () => {
        const log = await suite.open();
        const topic = topicName('backlog');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        for (let at = 0; at < 10; at++) await log.append(records(topic, 500, `b${at}`));
        const reader = await new Collector().subscribe(log, topicName('group'), [topic], { batch_records_max: 300 });
        await reader.running!.caughtUp();
        expect(reader.values.length).toBe(5_000);
        expect(new Set(reader.values).size).toBe(5_000);
        const offsets = reader.batches.flatMap((batch) => batch.records.map(({ offset }) => offset));
        expect(offsets.every((offset, at) => at === 0 || offset > offsets[at - 1]!)).toBe(true);
        const sizes = reader.batches.map((batch) => batch.records.length);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(300);
        expect(Math.min(...sizes)).toBeGreaterThan(0);
        const last = reader.batches[reader.batches.length - 1]!;
        expect(last.head).toBeGreaterThan(last.records[last.records.length - 1]!.offset);
        await reader.running!.close();
      },
      timeout_ms,
    );

    test(
      'at most one batch of a partition runs at a time',
      async () => {
        const log = await suite.open();
        const topic = topicName('single');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        const reader = new Collector();
        let running = 0;
        let most = 0;
        reader.react = async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running--;
        };
        await reader.subscribe(log, topicName('group'), [topic], { batch_records_max: 10 });
        for (let at = 0; at < 20; at++) await log.append(records(topic, 5, `s${at}`));
        await eventually('all are there', () => reader.values.length >= 100);
        expect(most).toBe(1);
        await reader.running!.close();
      },
      timeout_ms,
    );

    test(
      'a batch whose handler throws is delivered again unchanged, and no other batch overtakes it',
      async () => {
        const log = await suite.open();
        const topic = topicName('throws');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        await log.append(records(topic, 5, 'a'));
        const reader = new Collector();
        reader.react = async () => {
          if (reader.batches.length <= 2) throw new Error('not yet');
        };
        await reader.subscribe(log, topicName('group'), [topic], { batch_records_max: 5 });
        await eventually('it was tried twice', () => reader.batches.length >= 2);
        await log.append(records(topic, 1, 'b'));
        await eventually('the later record came', () => reader.values.includes('b-0'));
        const seen = reader.batches.map((batch) => batch.records.map(({ value }) => value.toString()).join());
        expect(seen.slice(0, 3)).toEqual(Array(3).fill('a-0,a-1,a-2,a-3,a-4'));
        expect(seen.slice(3)).toEqual(['b-0']);
        await reader.running!.close();
      },
      timeout_ms,
    );

    test(
      'the batch of a reader that died is delivered to the next reader',
      async () => {
        let log = await suite.open();
        const topic = topicName('dies');
        const group = topicName('group');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        await log.append(records(topic, 10, 'first'));
        const dying = new Collector();
        dying.react = async (batch) => {
          if (batch.records.some(({ value }) => value.toString() === 'second-0')) throw new Error('dies in the middle');
          dying.running?.commit([{ topic, partition: 0, offset: batch.records[batch.records.length - 1]!.offset + 1 }]);
        };
        await dying.subscribe(log, group, [topic]);
        await dying.running!.caughtUp();
        dying.commitAll();
        await log.append(records(topic, 10, 'second'));
        await eventually('it has the second batch', () => dying.values.includes('second-0'));
        await dying.running!.close();
        log = await suite.reopen(log);
        const next = await new Collector().subscribe(log, group, [topic]);
        await eventually('the second batch is there', () => next.values.filter((value) => value.startsWith('second')).length === 10);
        await next.running!.close();
      },
      timeout_ms,
    );

    test(
      'continues after the committed offset after a reopen, and at the start without a commit',
      async () => {
        let log = await suite.open();
        const topic = topicName('resumes');
        const [committing, silent] = [topicName('group'), topicName('group')];
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        const offsets = await log.append(records(topic, 10));
        const [one, two] = [
          await new Collector().subscribe(log, committing, [topic]),
          await new Collector().subscribe(log, silent, [topic]),
        ];
        await Promise.all([one.running!.caughtUp(), two.running!.caughtUp()]);
        one.running!.commit([{ topic, partition: 0, offset: offsets[6]! }]);
        await one.running!.close();
        await two.running!.close();
        log = await suite.reopen(log);
        const [again, anew] = [
          await new Collector().subscribe(log, committing, [topic]),
          await new Collector().subscribe(log, silent, [topic]),
        ];
        await Promise.all([again.running!.caughtUp(), anew.running!.caughtUp()]);
        expect(again.values).toEqual(['r-6', 'r-7', 'r-8', 'r-9']);
        expect(anew.values.length).toBe(10);
        await again.running!.close();
        await anew.running!.close();
      },
      timeout_ms,
    );

    test(
      'offsets from onAssigned override committed ones, and onAssigned is retried after a throw',
      async () => {
        let log = await suite.open();
        const topic = topicName('assigned');
        const group = topicName('group');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        const offsets = await log.append(records(topic, 10));
        const before = await new Collector().subscribe(log, group, [topic]);
        await before.running!.caughtUp();
        before.commitAll();
        await before.running!.close();
        log = await suite.reopen(log);
        let tries = 0;
        const after = new Collector();
        await after.subscribe(log, group, [topic], {
          onAssigned: async () => {
            if (++tries === 1) throw new Error('the store is unavailable');
            return [{ topic, partition: 0, offset: offsets[3]! }];
          },
        });
        await eventually('it has the records from there on', () => after.values.length >= 7);
        expect(after.values).toEqual(Array.from({ length: 7 }, (_, at) => `r-${at + 3}`));
        expect(tries).toBe(2);
        await after.running!.close();
      },
      timeout_ms,
    );

    test(
      'replays from 0 if onAssigned requests it',
      async () => {
        const log = await suite.open();
        const topic = topicName('replay');
        const group = topicName('group');
        await log.ensureTopics([{ name: topic, partitions: 2 }]);
        await log.append([...records(topic, 30, 'zero'), ...records(topic, 30, 'one').map((entry) => record(topic, entry.value, 1))]);
        const first = await new Collector().subscribe(log, group, [topic]);
        await first.running!.caughtUp();
        first.commitAll();
        await first.running!.close();
        const replay = new Collector();
        replay.starts = [0, 1].map((partition) => ({ topic, partition, offset: 0 }));
        await replay.subscribe(log, group, [topic]);
        await eventually('all came again', () => replay.values.length >= 60);
        expect([...replay.values].sort()).toEqual([...first.values].sort());
        await replay.running!.close();
      },
      timeout_ms,
    );
  });
}
