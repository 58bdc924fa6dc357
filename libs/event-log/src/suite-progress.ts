import { describe, expect, test } from 'vitest';
import { Collector, eventually, record, records, topicName } from './suite-fixture.js';
import type { SuiteLog } from './suite-log.js';

/** Longer than the stall timeout after which an adapter rebuilds a subscription. */
const STALLS = 2;

/** Cases that are not a stall: no record may reach a handler twice, and the log may not stop. */
export function describeProgress(suite: SuiteLog, timeout_ms: number): void {
  const passes = () => new Promise((resolve) => setTimeout(resolve, suite.fixture.stall_ms * STALLS));

  describe('progress', () => {
    test(
      'a slow handler receives its batch once, no batch overtakes it, and the log stays open',
      async () => {
        const log = await suite.open();
        const topic = topicName('slow');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        await log.append(records(topic, 3, 'a'));
        const reader = new Collector();
        reader.react = async () => {
          if (reader.batches.length === 1) await passes();
        };
        await reader.subscribe(log, topicName('group'), [topic], { batch_records_max: 3 });
        await eventually('it has the first', () => reader.batches.length === 1);
        await log.append(records(topic, 3, 'b'));
        await eventually('it has all', () => reader.values.length >= 6);
        expect(reader.values).toEqual(['a-0', 'a-1', 'a-2', 'b-0', 'b-1', 'b-2']);
        expect(log.health).toBe('open');
        await reader.running!.close();
      },
      timeout_ms,
    );

    test(
      'a handler that fails for long receives the same batch until it succeeds, and an empty topic affects no reader',
      async () => {
        const log = await suite.open();
        const [topic, idle] = [topicName('fails'), topicName('idle')];
        await log.ensureTopics([topic, idle].map((name) => ({ name, partitions: 1 })));
        await log.append([record(topic, 'a')]);
        let isUnavailable = true;
        const reader = new Collector();
        reader.react = async () => {
          if (isUnavailable) throw new Error('the store is unavailable');
        };
        await reader.subscribe(log, topicName('group'), [topic, idle]);
        await eventually('it was tried', () => reader.batches.length >= 1);
        await passes();
        isUnavailable = false;
        const tried = reader.batches.length;
        await eventually('it was tried again', () => reader.batches.length > tried);
        await reader.running!.caughtUp();
        await log.append([record(idle, 'b')]);
        await eventually('the idle topic goes on', () => reader.values.includes('b'));
        expect(new Set(reader.values)).toEqual(new Set(['a', 'b']));
        expect(log.health).toBe('open');
        await reader.running!.close();
      },
      timeout_ms,
    );
  });
}
