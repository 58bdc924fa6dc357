import { expect, test } from 'vitest';
import { Stream } from './stream.js';
import { TailRing } from './tail-ring.js';

function push(stream: Stream, count: number): void {
  for (let n = 0; n < count; n++) {
    const at = { topic: stream.topic, partition: stream.partition, offset: stream.next };
    stream.push({ ...at, key: null, value: Buffer.alloc(0), headers: {}, timestamp_ms: 0 });
  }
}

/** Simulates a finished write: `bytes` for everything pushed since the last one. */
function settle(ring: TailRing, streams: readonly Stream[], bytes: number): void {
  for (const stream of streams) stream.writing = stream.next;
  ring.settled(streams, bytes);
  for (const stream of streams) stream.settle();
}

test('the newest records stay readable, and the oldest are dropped over all streams together', () => {
  const ring = new TailRing(400_000);
  const [busy, quiet] = [new Stream(0, 'busy', 0, 0), new Stream(1, 'quiet', 0, 7)];
  push(quiet, 1);
  settle(ring, [quiet], 100);
  for (let write = 0; write < 1_000; write++) {
    push(busy, 3);
    settle(ring, [busy], 3 * 500);
  }
  expect(quiet.fromTail(7, 8)).toBeUndefined();
  expect(busy.fromTail(0, 1)).toBeUndefined();
  expect(busy.fromTail(2_950, 3_000)?.map(({ offset }) => offset)).toEqual(Array.from({ length: 50 }, (_, at) => 2_950 + at));
  const kept = Array.from({ length: 3_000 }, (_, offset) => offset).filter((offset) => busy.fromTail(offset, offset + 1) !== undefined);
  expect(kept.length * 2_548).toBeLessThanOrEqual(400_000 + 400_000 / 16);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => 3_000 - kept.length + at));
});

test('records that are not durable are never dropped', () => {
  const ring = new TailRing(0);
  const stream = new Stream(0, 't', 0, 0);
  push(stream, 2);
  settle(ring, [stream], 10);
  push(stream, 2);
  expect(stream.fromTail(1, 2)).toBeUndefined();
  expect(stream.fromTail(2, 4)?.length).toBe(2);
});

test('records that every reader has passed are dropped earlier than records that one still has to read', () => {
  const ring = new TailRing(32 * 1024 * 1024);
  const stream = new Stream(0, 't', 0, 0);
  const [fast, slow] = [{ position: 0 }, { position: 0 }];
  stream.readers.push(fast, slow);
  const write = () => {
    push(stream, 100);
    settle(ring, [stream], 100 * 500);
    fast.position = stream.next;
  };
  for (let n = 0; n < 50; n++) write();
  expect(stream.fromTail(0, 1)).toHaveLength(1);
  slow.position = 4_000;
  write();
  expect(stream.fromTail(0, 1)).toBeUndefined();
  expect(stream.fromTail(4_000, 5_100)).toHaveLength(1_100);
});
