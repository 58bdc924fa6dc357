import { EventCodec } from '@countersign/contracts';
import { BatchDecoder, type EventLog, type LogRecord } from '@countersign/event-log';
import { RequestsOnLog } from '@countersign/evidence';
import { expect, test } from 'vitest';
import { SampleHistory } from '../../testing/sample-history.js';
import { TakenRecords } from './taken-records.js';

const codec = new EventCodec();
/** What is kept in memory is never read again. */
const log = {} as EventLog;

function taking() {
  const requests = new RequestsOnLog(log, new BatchDecoder(codec, undefined), () => 1_000);
  return { requests, taken: new TakenRecords(log, requests) };
}

/** The records of two calls, by topic: one with a case, one without. */
function twoCalls() {
  const history = new SampleHistory();
  const [inCase, without] = [history.call('allowed', 'case-1'), history.call('allowed', null)];
  const topics = new Map<string, LogRecord[]>();
  for (const { topic, event_type, event } of history.events) {
    const records = topics.get(topic) ?? [];
    topics.set(topic, records);
    const value = codec.encode(event_type, event as never);
    records.push({ topic, partition: 0, offset: records.length, timestamp_ms: 1, key: null, value, headers: { event_type } });
  }
  return { inCase, without, topics };
}

function take(taken: TakenRecords, records: readonly LogRecord[] | undefined): void {
  if (records)
    taken.take(
      records,
      records.map(() => Buffer.alloc(32)),
    );
}

const kept = async (taken: TakenRecords, topic: string, to: number) =>
  (await taken.of({ topic, partition: 0, from: 0, to })).calls.map(({ call_id }) => call_id);

test('records of a call without a case are let go once its request is known, and no sooner', async () => {
  const { inCase, without, topics } = twoCalls();
  const { taken } = taking();
  await taken.noteFromNow();
  for (const topic of ['policy-decided', 'tool-call-requested', 'tool-executed']) take(taken, topics.get(topic));
  expect(new Set(await kept(taken, 'policy-decided', 2))).toEqual(new Set([inCase, without]));
  expect(await kept(taken, 'tool-call-requested', 2)).toEqual([inCase]);
  expect(new Set(await kept(taken, 'tool-executed', topics.get('tool-executed')?.length as number))).toEqual(new Set([inCase]));
});

test('while earlier entries are gone through, every record is kept', async () => {
  const { inCase, without, topics } = twoCalls();
  const { taken } = taking();
  take(taken, topics.get('tool-call-requested'));
  expect(await kept(taken, 'tool-call-requested', 2)).toEqual([inCase, without]);
});

test('the first request of a call on the log names its case, also if it is noted after a later one', async () => {
  const { inCase, topics } = twoCalls();
  const { requests } = taking();
  const [first] = topics.get('tool-call-requested') as [LogRecord];
  const { event } = codec.decode(first.value) as { event: { call: object } };
  const value = codec.encode('tool_call_requested', { ...event, call: { ...event.call, case_id: 'case-2' } } as never);
  await requests.note([{ ...first, offset: 9, value }]);
  await requests.note([first]);
  const of = { topic: first.topic, partition: 0, offset: 9, leaf: Buffer.alloc(32), tenant_id: 'acme', call_id: inCase };
  expect(requests.of(of)).toEqual({ kind: 'case', case_id: 'case-1' });
});
