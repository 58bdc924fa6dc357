import { describe, expect, test } from 'vitest';
import type { EventLog, LogRecord, NewRecord } from './event-log.js';
import { record, records, topicName } from './suite-fixture.js';
import type { SuiteLog } from './suite-log.js';

const MEGABYTE = 1024 * 1024;

async function readAll(log: EventLog, topic: string, partition = 0): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  for (let from = 0; ; from = found[found.length - 1]!.offset + 1) {
    const some = await log.read(topic, partition, from, 500);
    if (some.length === 0) return found;
    found.push(...some);
  }
}

function values(found: readonly LogRecord[]): string[] {
  return found.map(({ value }) => value.toString());
}

/** Appending and reading back. */
export function describeAppends(suite: SuiteLog, timeout_ms: number): void {
  describe('append and read', () => {
    test(
      'offsets ascend in append order from 0, without gaps if the adapter guarantees that',
      async () => {
        const log = await suite.open();
        const topic = topicName('ascend');
        await log.ensureTopics([{ name: topic, partitions: 2 }]);
        const first = await log.append(records(topic, 10));
        const second = await log.append([record(topic, 'other', 1), ...records(topic, 5, 'more')]);
        const all = [...first, ...second.slice(1)];
        expect(all[0]).toBe(0);
        expect(all.every((offset, at) => at === 0 || offset > all[at - 1]!)).toBe(true);
        if (suite.fixture.gapless) expect(all).toEqual(Array.from({ length: 15 }, (_, at) => at));
        expect(second[0]).toBe(0);
      },
      timeout_ms,
    );

    test(
      'a record is read as it was appended, with its offset and the time of the log',
      async () => {
        const log = await suite.open();
        const topic = topicName('fields');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        const plain: NewRecord = { topic, partition: 0, key: null, value: Buffer.alloc(0), headers: {} };
        const full: NewRecord = {
          topic,
          partition: 0,
          key: 'schlüssel-✓',
          value: Buffer.from([0, 255, 10, 13]),
          headers: { event_type: 'x', traceparent: 'ä'.repeat(80) },
        };
        const before = Date.now();
        const offsets = await log.append([plain, full]);
        const found = await log.read(topic, 0, 0, 10);
        const asAppended = ({ appended_at_ms: timestamp_ms, appended: _, ...rest }: NewRecord, at: number) => ({
          ...rest,
          offset: offsets[at],
          timestamp_ms,
        });
        expect(found).toMatchObject([plain, full].map(asAppended));
        for (const { timestamp_ms } of found) expect(Math.abs(timestamp_ms - before)).toBeLessThan(60_000);
      },
      timeout_ms,
    );

    test(
      'an acknowledged record exists after a reopen and after a crash',
      async () => {
        let log = await suite.open();
        const topic = topicName('kept');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        await log.append(records(topic, 20, 'a'));
        log = await suite.reopen(log);
        expect(log.partitions(topic)).toBe(1);
        await log.append(records(topic, 20, 'b'));
        log = await suite.crash(log);
        await log.append(records(topic, 1, 'c'));
        const expected = [...records(topic, 20, 'a'), ...records(topic, 20, 'b'), ...records(topic, 1, 'c')];
        expect(values(await readAll(log, topic))).toEqual(expected.map(({ value }) => value.toString()));
      },
      timeout_ms,
    );

    test(
      'two concurrent writers lose nothing and each keeps its order',
      async () => {
        const one = await suite.open();
        const two = suite.fixture.single_writer ? one : await suite.open();
        const topic = topicName('writers');
        await one.ensureTopics([{ name: topic, partitions: 1 }]);
        if (two !== one) await two.ensureTopics([{ name: topic, partitions: 1 }]);
        const appends: Promise<number[]>[] = [];
        for (let at = 0; at < 300; at++) {
          appends.push(one.append([record(topic, `one-${at}`)]), two.append([record(topic, `two-${at}`)]));
          if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        const offsets = (await Promise.all(appends)).flat();
        expect(new Set(offsets).size).toBe(600);
        const found = await readAll(one, topic);
        expect(found.length).toBe(600);
        for (const word of ['one', 'two']) {
          const own = values(found).filter((value) => value.startsWith(word));
          expect(own).toEqual(Array.from({ length: 300 }, (_, at) => `${word}-${at}`));
        }
        for (const { offset, value } of found) {
          const [word, at] = value.toString().split('-');
          expect(offsets[Number(at) * 2 + (word === 'one' ? 0 : 1)]).toBe(offset);
        }
      },
      timeout_ms,
    );

    test(
      'records of one append to one partition are contiguous and in order',
      async () => {
        const log = await suite.open();
        const topic = topicName('together');
        await log.ensureTopics([{ name: topic, partitions: 2 }]);
        const mixed = (word: string) => records(topic, 6, word).map((entry, at) => ({ ...entry, partition: at % 2 }));
        await Promise.all(Array.from({ length: 50 }, (_, at) => log.append(mixed(`w${at}`))));
        for (const partition of [0, 1]) {
          const found = values(await readAll(log, topic, partition));
          expect(found.length).toBe(150);
          for (let at = 0; at < found.length; at += 3) {
            const word = found[at]!.split('-')[0]!;
            expect(found.slice(at, at + 3)).toEqual([0, 2, 4].map((n) => `${word}-${n + partition}`));
          }
        }
      },
      timeout_ms,
    );

    test(
      'reads from any offset, at most the requested count, and returns nothing at the head',
      async () => {
        const log = await suite.open();
        const topic = topicName('read');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        expect(await log.head(topic, 0)).toBe(0);
        expect(await log.read(topic, 0, 0, 10)).toEqual([]);
        const offsets = await log.append(records(topic, 50));
        const head = await log.head(topic, 0);
        expect(head).toBeGreaterThan(offsets[49]!);
        for (const at of [0, 1, 17, 48, 49]) {
          const found = await log.read(topic, 0, offsets[at]!, 5);
          expect(values(found)).toEqual(Array.from({ length: Math.min(5, 50 - at) }, (_, n) => `r-${at + n}`));
        }
        expect(await log.read(topic, 0, head, 5)).toEqual([]);
      },
      timeout_ms,
    );

    test(
      'the first offset since a time is that of the first record appended then or later, else the head',
      async () => {
        const log = await suite.open();
        const topic = topicName('since');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        expect(await log.since(topic, 0, Date.now())).toBe(await log.head(topic, 0));
        for (let at = 0; at < 3; at++) {
          await log.append(records(topic, 4, `b${at}`));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        const found = await readAll(log, topic);
        const first = (time_ms: number) => found.find(({ timestamp_ms }) => timestamp_ms >= time_ms)?.offset;
        for (const { timestamp_ms } of found) expect(await log.since(topic, 0, timestamp_ms)).toBe(first(timestamp_ms));
        expect(await log.since(topic, 0, 0)).toBe(found[0]!.offset);
        expect(await log.since(topic, 0, found[11]!.timestamp_ms + 1)).toBe(await log.head(topic, 0));
      },
      timeout_ms,
    );

    test(
      'records of 1 MB are read completely, also after a reopen',
      async () => {
        let log = await suite.open();
        const topic = topicName('large');
        await log.ensureTopics([{ name: topic, partitions: 1 }]);
        const large = [1, 2, 3].map((byte) => Buffer.alloc(MEGABYTE, byte));
        for (const value of large) await log.append([record(topic, value)]);
        log = await suite.reopen(log);
        const found = await readAll(log, topic);
        expect(found.map(({ value }, at) => value.equals(large[at]!))).toEqual([true, true, true]);
      },
      timeout_ms,
    );

    test(
      'ensureTopics creates missing topics and leaves the others unchanged',
      async () => {
        const log = await suite.open();
        const [old, added] = [topicName('old'), topicName('new')];
        await log.ensureTopics([{ name: old, partitions: 3 }]);
        await log.append([record(old, 'stays', 2)]);
        await log.ensureTopics([
          { name: old, partitions: 5 },
          { name: added, partitions: 1 },
        ]);
        expect([log.partitions(old), log.partitions(added)]).toEqual([3, 1]);
        expect(values(await log.read(old, 2, 0, 10))).toEqual(['stays']);
      },
      timeout_ms,
    );
  });
}
