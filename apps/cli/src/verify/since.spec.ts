import type { Bundle } from '@countersign/evidence';
import { HeadsLog, noteSigner, openCheckpoint, signCheckpoint, type TreeHead } from '@countersign/proofs';
import { describe, expect, test } from 'vitest';
import { checkSince, keptHistory, readEarlier, rewritten } from './since.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 1));
const log = signer.verifier;
const head = (topic: string): TreeHead => ({ topic, partition: 0, size: 1, root: Buffer.alloc(32, 1) });

/** A log in which each topic is a tree with one record, each added by a separate entry. */
function notes(...topics: string[]) {
  const at = HeadsLog.empty();
  return topics.map((topic, number) => {
    at.appendHeads(number, [head(topic)]);
    return signCheckpoint({ size: at.size, root: at.root() }, signer);
  });
}
const opened = (note: string | undefined) => openCheckpoint(note ?? '', log) as NonNullable<ReturnType<typeof openCheckpoint>>;

type Record = Bundle['records'][number];
const record = {
  topic: 'a',
  partition: 0,
  offset: 3,
  timestamp_ms: 5,
  key: 'k',
  headers: { event_type: 'x', traceparent: 'y' },
  value: 'AAAA',
} as unknown as Record;
const bundle = (...records: object[]) => ({ records: records.map((more) => ({ ...record, ...more })) }) as Bundle;

describe('earlier evidence', () => {
  test('is a note, or a file that contains one, of this log only', () => {
    const [note] = notes('a') as [string];
    const other = noteSigner('log.example', Buffer.alloc(32, 2)).verifier;
    expect(readEarlier(note, log)).toMatchObject({ checkpoint: { size: 1 }, records: [] });
    expect(readEarlier(JSON.stringify({ checkpoint: note, heads: [] }), log)).toMatchObject({ checkpoint: { size: 1 } });
    expect(readEarlier(note, other)).toContain('no checkpoint signed by log.example');
    expect(readEarlier(JSON.stringify({ format: 'countersign-bundle/v1', checkpoint: note }), log)).toContain(
      'the earlier bundle is refused',
    );
  });

  test.each([
    ['other inputs', { value: 'AAAB' }],
    ['another time', { timestamp_ms: 6 }],
    ['another key', { key: null }],
    ['another header', { headers: { event_type: 'z', traceparent: 'y' } }],
  ])('proves the same record at one offset: a later bundle with %s is reported', (_, change) => {
    const earlier = { checkpoint: opened(notes('a')[0]), records: bundle({}).records };
    expect(rewritten(earlier, bundle({ offset: 4 }, change))).toBe('a/0/3');
    expect(rewritten(earlier, bundle({ offset: 4, ...change }, { headers: { traceparent: 'y', event_type: 'x' } }))).toBeUndefined();
  });
});

describe('between two checkpoints', () => {
  test('there are no entries if they are equal, and two of one size are a fork', async () => {
    const [one, other] = [opened(notes('a')[0]), opened(notes('b')[0])];
    expect(await checkSince(one, one, log, undefined)).toEqual({ kind: 'same' });
    expect(await checkSince(one, other, log, undefined)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('forked') });
  });

  test('without a source of entries nothing is checked, and the report states that', async () => {
    const [first, second] = notes('a', 'b');
    expect(await checkSince(opened(first), opened(second), log, undefined)).toEqual({ kind: 'not_checked', from: 1, to: 2 });
  });

  test('a history that is cut, has another beginning, or another format proves nothing', async () => {
    const [first, second] = notes('a', 'b') as [string, string];
    const covered = (topic: string, note: string) => ({
      entry: { number: 0, time_ms: 0, path: [] },
      heads: [[topic, 0, 1, Buffer.alloc(32, 1).toString('base64')]],
      checkpoint: note,
    });
    const page = {
      first: 1,
      entries: [{ number: 1, time_ms: 1, moved: [['b', 0, 1, Buffer.alloc(32, 1).toString('base64'), []]] }],
      checkpoint: second,
    };
    const verdict = async (heads: unknown, pages: unknown[]) => {
      const source = keptHistory(JSON.stringify({ format: 'countersign-history/v1', heads, pages }));
      if (typeof source === 'string') throw new Error(source);
      return checkSince(opened(first), opened(second), log, source);
    };
    expect(await verdict(covered('a', first), [page])).toMatchObject({ kind: 'continued', from: 1, entries: 1, moves: 1 });
    expect(await verdict(covered('a', first), [])).toMatchObject({ kind: 'refused', reason: 'there are no entries after checkpoint 1' });
    const elsewhere = notes('c')[0] as string;
    expect(await verdict(covered('c', elsewhere), [page])).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('differs from the one in the earlier file'),
    });
    expect(keptHistory('{"format":"countersign-history/v2"}')).toContain('countersign-history/v1');
  });
});
