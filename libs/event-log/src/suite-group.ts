import { describe, expect, test } from 'vitest';
import type { EventLog } from './event-log.js';
import { Collector, eventually, record, topicName } from './suite-fixture.js';
import type { SuiteLog } from './suite-log.js';

const PARTITIONS = 4;

/** Appends `count` numbered records to every partition of every topic. */
async function fill(log: EventLog, topics: readonly string[], word: string, count: number): Promise<string[]> {
  const wanted: string[] = [];
  for (let at = 0; at < count; at++) {
    const some = topics.flatMap((topic) =>
      Array.from({ length: PARTITIONS }, (_, partition) => record(topic, `${topic}/${partition}/${word}-${at}`, partition)),
    );
    wanted.push(...some.map(({ value }) => value.toString()));
    await log.append(some);
  }
  return wanted;
}

function shared(members: readonly Collector[]): boolean {
  const held = members.flatMap(({ partitions }) => partitions);
  return held.length === PARTITIONS && new Set(held).size === PARTITIONS;
}

/** Whether every record was delivered. */
function covered(members: readonly Collector[], wanted: readonly string[]): boolean {
  const seen = new Set(members.flatMap(({ values }) => values));
  return wanted.every((value) => seen.has(value));
}

/** Several members: assignments, and what happens when members join and leave. */
export function describeGroups(suite: SuiteLog, timeout_ms: number): void {
  describe('group', () => {
    test(
      'four members share four partitions, and partition n of every topic belongs to one of them',
      async () => {
        const log = await suite.open();
        const topics = [topicName('left'), topicName('right')];
        const group = topicName('group');
        await log.ensureTopics(topics.map((name) => ({ name, partitions: PARTITIONS })));
        const members = [new Collector(), new Collector(), new Collector(), new Collector()];
        await Promise.all(members.map((member) => member.subscribe(log, group, topics)));
        await eventually('each has one partition', () => shared(members) && members.every(({ partitions }) => partitions.length === 1));
        const wanted = await fill(log, topics, 'x', 20);
        await eventually('all records came', () => covered(members, wanted));
        for (const member of members) {
          const late = member.batches.filter(({ records }) => records[0]!.value.includes('/x-1'));
          expect([...new Set(late.map(({ partition }) => partition))]).toEqual(member.partitions);
          expect(new Set(late.map(({ topic }) => topic)).size).toBe(2);
        }
        await Promise.all(members.map((member) => member.running!.close()));
      },
      timeout_ms,
    );

    test(
      'members that leave and join under load lose nothing',
      async () => {
        const log = await suite.open();
        const topics = [topicName('left'), topicName('right')];
        const group = topicName('group');
        await log.ensureTopics(topics.map((name) => ({ name, partitions: PARTITIONS })));
        const members = Array.from({ length: 4 }, () => {
          const member = new Collector();
          member.react = async (batch) => {
            await new Promise((resolve) => setTimeout(resolve, 1));
            member.running?.commit([
              { topic: batch.topic, partition: batch.partition, offset: batch.records[batch.records.length - 1]!.offset + 1 },
            ]);
          };
          return member;
        });
        await Promise.all(members.map((member) => member.subscribe(log, group, topics, { batch_records_max: 5 })));
        await eventually('the four share', () => shared(members));
        const wanted: string[] = [];
        wanted.push(...(await fill(log, topics, 'four', 20)));
        await members[0]!.running!.close();
        wanted.push(...(await fill(log, topics, 'three', 20)));
        await eventually('the others have it all', () => covered(members, wanted) && shared(members.slice(1)));
        const joiner = new Collector();
        await joiner.subscribe(log, group, topics, { batch_records_max: 5 });
        wanted.push(...(await fill(log, topics, 'joined', 20)));
        const now = [...members.slice(1), joiner];
        await eventually(
          'the joiner has a part and nothing is lost',
          () => shared(now) && joiner.partitions.length === 1 && covered([...members, joiner], wanted),
        );
        await Promise.all(now.map((member) => member.running!.close()));
      },
      timeout_ms,
    );

    test(
      'after onRevoked no batch of the partition arrives at that member',
      async () => {
        const log = await suite.open();
        const topic = topicName('revoked');
        const group = topicName('group');
        await log.ensureTopics([{ name: topic, partitions: PARTITIONS }]);
        const one = new Collector();
        const late: number[] = [];
        one.react = async ({ partition }) => {
          if (!one.partitions.includes(partition)) late.push(partition);
        };
        await one.subscribe(log, group, [topic]);
        await eventually('it has all four', () => one.partitions.length === PARTITIONS);
        const two = await new Collector().subscribe(log, group, [topic]);
        const wanted = await fill(log, [topic], 'y', 20);
        await eventually('both share', () => shared([one, two]) && one.partitions.length === 2);
        wanted.push(...(await fill(log, [topic], 'z', 5)));
        await eventually('all came', () => covered([one, two], wanted));
        expect(late).toEqual([]);
        await Promise.all([one.running!.close(), two.running!.close()]);
      },
      timeout_ms,
    );

    test(
      'two members on a new topic: after any retries each knows which partitions it lost to the other',
      async () => {
        const log = await suite.open();
        for (let round = 0; round < 15; round++) {
          const topic = topicName('young');
          const group = topicName('group');
          await log.ensureTopics([{ name: topic, partitions: PARTITIONS }]);
          const members = [new Collector(), new Collector()];
          for (const member of members) await member.subscribe(log, group, [topic]);
          await eventually('both share', () => shared(members) && members.every(({ partitions }) => partitions.length === 2));
          await Promise.all(members.map((member) => member.running!.close()));
        }
      },
      timeout_ms,
    );

    test(
      'each group receives everything',
      async () => {
        const log = await suite.open();
        const topic = topicName('groups');
        await log.ensureTopics([{ name: topic, partitions: PARTITIONS }]);
        const readers = [
          await new Collector().subscribe(log, topicName('g'), [topic]),
          await new Collector().subscribe(log, topicName('g'), [topic]),
        ];
        const wanted = await fill(log, [topic], 'all', 10);
        await eventually('both have all', () => readers.every((reader) => covered([reader], wanted)));
        await Promise.all(readers.map((reader) => reader.running!.close()));
      },
      timeout_ms,
    );
  });
}
