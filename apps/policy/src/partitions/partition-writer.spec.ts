import { type AnyEvent, InfrastructureFault } from '@countersign/contracts';
import { EventLog, type NewRecord } from '@countersign/event-log';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Outgoing, PartitionWriter } from './partition-writer.js';

type Answer = 'ok' | 'lost_before' | 'lost_after';

/** Handles appends one after another as scripted; accepts all later ones. */
class ScriptedLog extends EventLog {
  readonly taken: { topic: string; at: number }[] = [];
  appends = 0;

  constructor(private readonly script: Answer[]) {
    super();
  }

  async append(records: readonly NewRecord[]): Promise<number[]> {
    this.appends++;
    const answer = this.script.shift() ?? 'ok';
    await new Promise((done) => setImmediate(done));
    if (answer === 'lost_before') throw new InfrastructureFault('unavailable');
    const offsets = records.map(({ topic, value }) => {
      const before = this.taken.filter((one) => one.topic === topic).length;
      this.taken.push({ topic, at: value.readUInt32BE(0) });
      return before;
    });
    if (answer === 'lost_after') throw new InfrastructureFault('the answer was lost');
    return offsets;
  }

  ensureTopics = this.unused;
  partitions = this.unused;
  subscribe = this.unused;
  follow = this.unused;
  read = this.unused;
  head = this.unused;
  close = this.unused;

  private unused(): never {
    throw new Error('a writer only appends');
  }
}

const outgoing = (at: number, topic = 'policy-decided'): Outgoing => {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(at, 0);
  return { published: { event: { meta: { hlc: at } } } as AnyEvent, record: { topic, partition: 0, key: null, value, headers: {} } };
};

function writerOn(log: ScriptedLog, in_flight_max = 3) {
  const positions = new Map([
    ['policy-decided', 0],
    ['approval-granted', 0],
  ]);
  const options = { in_flight_max, pending_records_max: 5, restamp: (one: Outgoing) => one, logger: { warn: () => undefined } };
  return { writer: new PartitionWriter(log, options, positions, { written: () => {} }), positions };
}

test('after any failures everything is on the log, and its last copies are in order', async () => {
  const answers = fc.array(fc.constantFrom<Answer>('ok', 'lost_before', 'lost_after'), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(answers, fc.integer({ min: 1, max: 3 }), async (script, in_flight_max) => {
      const log = new ScriptedLog([...script]);
      const { writer } = writerOn(log, in_flight_max);
      for (let at = 0; at < 8; at++) {
        writer.enqueue([outgoing(at)]);
        if (at % 3 === 0) await new Promise((done) => setImmediate(done));
      }
      await writer.drained();
      const order = log.taken.map(({ at }) => at);
      expect(new Set(order).size).toBe(8);
      const last = order.filter((at, i) => order.lastIndexOf(at) === i);
      expect(last).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    }),
    { numRuns: 25 },
  );
});

test('records that are appended again get a new stamp, after all later decisions', async () => {
  const log = new ScriptedLog(['lost_before', 'ok']);
  let hlc = 100;
  const restamp = ({ published, record }: Outgoing): Outgoing => {
    published.event.meta.hlc = ++hlc;
    const value = Buffer.alloc(4);
    value.writeUInt32BE(hlc, 0);
    return { published, record: { ...record, value } };
  };
  const options = { in_flight_max: 2, pending_records_max: 9, restamp, logger: { warn: () => undefined } };
  const writer = new PartitionWriter(log, options, new Map(), { written: () => {} });
  writer.enqueue([outgoing(1)]);
  writer.enqueue([outgoing(2)]);
  writer.enqueue([outgoing(3)]);
  await writer.drained();
  expect(log.taken.map(({ at }) => at)).toEqual([2, 101, 102, 103]);
});

test('a decision waits while too many are not on the log, and is refused once the writer has stopped', async () => {
  const log = new ScriptedLog(['lost_before', 'lost_before']);
  const { writer } = writerOn(log);
  for (let at = 0; at < 5; at++) writer.enqueue([outgoing(at)]);
  let free = false;
  const waitForCapacity = writer.waitForCapacity().then(() => {
    free = true;
  });
  await new Promise((done) => setImmediate(done));
  expect(free).toBe(false);
  await waitForCapacity;
  expect(new Set(log.taken.map(({ at }) => at)).size).toBe(5);
  writer.stop();
  await expect(writer.waitForCapacity()).rejects.toThrow(InfrastructureFault);
});

test('a mark has the positions right after the records enqueued before it, even if more share its append', async () => {
  const log = new ScriptedLog([]);
  const { writer } = writerOn(log, 1);
  writer.enqueue([outgoing(0)]);
  writer.enqueue([outgoing(1), outgoing(2, 'approval-granted')]);
  const marked = writer.mark();
  writer.enqueue([outgoing(3), outgoing(4)]);
  expect(Object.fromEntries(await marked)).toEqual({ 'policy-decided': 2, 'approval-granted': 1 });
  await writer.drained();
  expect(Object.fromEntries(await writer.mark())).toEqual({ 'policy-decided': 4, 'approval-granted': 1 });
  expect(log.appends).toBe(2);
});

test('it detects records of others between its own, and repeats of its own', async () => {
  const log = new ScriptedLog(['ok', 'ok', 'lost_after', 'ok']);
  const { writer } = writerOn(log, 1);
  writer.enqueue([outgoing(0), outgoing(1, 'approval-granted')]);
  await writer.drained();
  writer.enqueue([outgoing(2)]);
  await writer.drained();
  expect(writer.isInterleaved).toBe(false);
  writer.enqueue([outgoing(3)]);
  await writer.drained();
  expect(writer.isInterleaved).toBe(true);

  const shared = new ScriptedLog([]);
  const mine = writerOn(shared).writer;
  mine.enqueue([outgoing(0), outgoing(7, 'security-event')]);
  await mine.drained();
  shared.taken.push({ topic: 'security-event', at: 98 });
  mine.enqueue([outgoing(8, 'security-event')]);
  await mine.drained();
  expect(mine.isInterleaved).toBe(false);
  expect([...(await mine.mark()).keys()]).toEqual(['policy-decided', 'approval-granted']);
  shared.taken.push({ topic: 'policy-decided', at: 99 });
  mine.enqueue([outgoing(1)]);
  await mine.drained();
  expect(mine.isInterleaved).toBe(true);
});
