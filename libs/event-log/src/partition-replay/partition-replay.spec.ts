import { EventCodec, InfrastructureFault } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventLog, LogRecord } from '../event-log.js';
import { BatchDecoder } from '../transport/batch-decoder.js';
import type { Recorded } from '../transport/event-batch.js';
import { PartitionReplay, stretchesToHeads } from './partition-replay.js';

const codec = new EventCodec();
const decoder = new BatchDecoder(codec, undefined);

function valueAt(hlc: number): Buffer {
  const meta = { event_id: '', tenant_id: '', call_id: null, attempt: 0, causation_id: null, correlation_id: '', hlc, partition: 0 };
  const source = { source_topic: '', source_partition: 0, source_offset: 0, consumer: '', cause: '' };
  return codec.encode('record_dead_lettered', { meta, ...source, value: Buffer.of(), dead_lettered_at_ms: 0 });
}

/** Records that a log delivers while there is a reader. */
class TapedLog {
  readonly records = new Map<string, LogRecord[]>();
  first_left = 0;
  fails = false;

  append(topic: string, value: Buffer): void {
    const records = this.records.get(topic) ?? [];
    this.records.set(topic, records);
    records.push({ topic, partition: 0, key: null, value, headers: {}, offset: records.length, timestamp_ms: 0 });
  }

  async read(topic: string, _: number, from: number, max: number): Promise<LogRecord[]> {
    if (this.fails) throw new InfrastructureFault('the log does not answer');
    if (from < this.first_left) throw new Error('dropped');
    return (this.records.get(topic) ?? []).slice(from, from + max);
  }

  async first(): Promise<number> {
    if (this.fails) throw new InfrastructureFault('the log does not answer');
    return this.first_left;
  }

  async head(topic: string): Promise<number> {
    return this.records.get(topic)?.length ?? 0;
  }

  get port(): EventLog {
    return this as unknown as EventLog;
  }

  async replay(accepts?: (event: Recorded) => boolean): Promise<PartitionReplay> {
    const from = new Map([...this.records.keys()].map((topic) => [topic, 0]));
    return new PartitionReplay({ log: this.port, decoder }, 0, await stretchesToHeads(this.port, 0, from), accepts);
  }
}

async function all(replay: PartitionReplay, count: number): Promise<string[]> {
  const places: string[] = [];
  for await (const events of replay.batches(count)) {
    expect(events.length).toBeLessThanOrEqual(count);
    places.push(...events.map(({ topic, offset }) => `${topic}/${offset}`));
  }
  return places;
}

test('each event is returned once: by offset within a topic, by hlc across topics, for equal hlc in topic order', async () => {
  const hlcs = fc.array(fc.nat(50), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.tuple(hlcs, hlcs, hlcs), fc.integer({ min: 1, max: 40 }), async (topics, count) => {
      const log = new TapedLog();
      const left = topics.map((of) => [...of].sort((a, b) => a - b));
      const names = ['a', 'b', 'c'];
      for (const [at, of] of left.entries()) for (const hlc of of) log.append(names[at] as string, valueAt(hlc));
      const expected = left
        .flatMap((of, at) => of.map((hlc, offset) => ({ hlc, at, offset })))
        .sort(
          (x, y) =>
            x.hlc - y.hlc ||
            [...log.records.keys()].indexOf(names[x.at] as string) - [...log.records.keys()].indexOf(names[y.at] as string) ||
            x.offset - y.offset,
        )
        .map(({ at, offset }) => `${names[at]}/${offset}`);
      expect(await all(await log.replay(), count)).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

test('the order within a topic is kept even if its hlc decreases', async () => {
  const log = new TapedLog();
  for (const hlc of [5, 1]) log.append('a', valueAt(hlc));
  for (const hlc of [3, 9]) log.append('b', valueAt(hlc));
  expect(await all(await log.replay(), 10)).toEqual(['b/0', 'a/0', 'a/1', 'b/1']);
});

test('it ends at the heads at its start, and begins at the requested offset', async () => {
  const log = new TapedLog();
  for (let hlc = 0; hlc < 1200; hlc++) log.append('a', valueAt(hlc));
  const stretches = await stretchesToHeads(log.port, 0, new Map([['a', 7]]));
  log.append('a', valueAt(1200));
  const places = await all(new PartitionReplay({ log: log.port, decoder }, 0, stretches), 300);
  expect([places[0], places.at(-1), places.length]).toEqual(['a/7', 'a/1199', 1193]);
});

test('without new records the log is not read', async () => {
  const log = new TapedLog();
  log.fails = true;
  const stretches = [
    { topic: 'a', from: 3, to: 3 },
    { topic: 'b', from: 0, to: 0 },
  ];
  expect(await all(new PartitionReplay({ log: log.port, decoder }, 0, stretches), 10)).toEqual([]);
});

test('from 0 it begins at the first remaining record', async () => {
  const log = new TapedLog();
  for (let hlc = 0; hlc < 5; hlc++) log.append('a', valueAt(hlc));
  log.first_left = 3;
  expect(await all(await log.replay(), 10)).toEqual(['a/3', 'a/4']);
});

test('a position covers what was returned or skipped, and no more than the log returned', async () => {
  const log = new TapedLog();
  for (const value of [valueAt(1), Buffer.from('no event'), valueAt(3), Buffer.of()]) log.append('a', value);
  const replay = await log.replay();
  const positions = [replay.position('a')];
  for await (const _ of replay.batches(1)) positions.push(replay.position('a'));
  expect([...positions, replay.position('a')]).toEqual([0, 2, 4, 4]);
  const beyond = new PartitionReplay({ log: log.port, decoder }, 0, [{ topic: 'a', from: 0, to: 9 }]);
  await all(beyond, 10);
  expect(beyond.position('a')).toBe(4);
});

test('records that cannot be decoded or are not accepted are skipped, also at the end', async () => {
  const log = new TapedLog();
  for (const value of [valueAt(1), Buffer.from('no event'), valueAt(3), valueAt(4), Buffer.of()]) log.append('a', value);
  expect(await all(await log.replay(({ event }) => event.meta.hlc !== 3), 1)).toEqual(['a/0', 'a/3']);
});

test('no record keeps its decoded event, and a fault of the log goes to the caller', async () => {
  const log = new TapedLog();
  log.append('a', valueAt(1));
  await all(await log.replay(), 10);
  expect(log.records.get('a')?.some(({ decoded }) => decoded !== undefined)).toBe(false);
  log.fails = true;
  await expect((await log.replay()).next(1)).rejects.toBeInstanceOf(InfrastructureFault);
});
