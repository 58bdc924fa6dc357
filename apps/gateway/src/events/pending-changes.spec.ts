import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from './change.js';
import type { ReaderOut } from './reader-stream.js';
import { EVENTS_PER_SECOND_MAX, ReaderStream } from './reader-stream.js';
import type { StreamCursor } from './stream-cursor.js';

const SLOTS = 3;
const PENDING_MAX = 2_000;
const caller = { tenant_id: 'acme', principal: { kind: 'user', id: 'olga', roles: ['operator'] } } as never;
const START: StreamCursor = { place: Array.from({ length: SLOTS }, () => 0) };

class Sink implements ReaderOut {
  over = false;
  readonly texts: string[] = [];
  write(text: string | Promise<string>): void {
    this.texts.push(text as string);
  }
  waitForCapacity(): boolean {
    return !this.over;
  }
  close(): void {
    this.over = true;
  }
}

/** Ids as texts that a reader can send back. */
const textOf = (cursor: StreamCursor) => JSON.stringify(cursor);
const form = {
  kinds: new Set(['call', 'case', 'approval'] as const),
  approvals: false,
  pending_max: PENDING_MAX,
  text: ({ kind, id, slot, offset, item }: Change) =>
    `event: ${kind}\ndata: ${JSON.stringify({ id, at: `${slot}/${offset}/${item}` })}\n\n`,
};

interface Sent {
  resume: StreamCursor;
  key: string;
  at: string;
}

function sentBy({ texts }: Sink): Sent[] {
  return texts.flatMap((text) => {
    const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)\n\n$/s.exec(text) ?? [];
    if (!data || event === 'ready' || event === 'reset') return [];
    const { id: of, at } = JSON.parse(data) as { id: string; at: string };
    return [{ resume: JSON.parse(id as string) as StreamCursor, key: `${event} ${of}`, at }];
  });
}

/** Records of the log in the order in which they are shown; each changes up to three items. */
const records = fc.array(
  fc.record({
    slot: fc.nat(SLOTS - 1),
    ids: fc.array(fc.tuple(fc.constantFrom('call', 'case', 'security'), fc.nat(4)), { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 40 },
);
type Records = { slot: number; ids: ['call' | 'case' | 'security', number][] }[];

function changesOf(of: Records): Change[][] {
  const heads = [0, 0, 0];
  return of.map(({ slot, ids }) => {
    const offset = heads[slot] as number;
    heads[slot] = offset + 1;
    const named = [...new Map(ids.map((one) => [one.join(), one])).values()];
    return named.map(([kind, id], item) => {
      const place = { slot, topic: 't', partition: slot, offset, item };
      return { kind, id: String(id), event_type: 'x', at_ms: 0, ...place } as Change;
    });
  });
}

const passing = (changes: readonly Change[]): number[] =>
  START.place.map((_, slot) => changes.reduce((next, change) => (change.slot === slot ? Math.max(next, change.offset + 1) : next), 0));

/** Streams the records from a cursor on; `pauses`: after how many records the stream sends. */
function streamed(all: readonly Change[][], from: StreamCursor, pauses: readonly number[]): Sent[] {
  const sink = new Sink();
  const stream = new ReaderStream(sink, caller, form, textOf);
  stream.start(from);
  stream.follow(from.place, from.place);
  let now_ms = 0;
  for (const [index, changes] of all.entries()) {
    stream.offer(changes, START.place);
    if (!pauses.includes(index)) continue;
    now_ms += 60_000;
    const shown = passing(all.slice(0, index + 1).flat());
    stream.flush(shown, () => textOf({ place: shown }), now_ms);
  }
  const shown = passing(all.flat());
  stream.flush(shown, () => textOf({ place: shown }), now_ms + 60_000);
  return sentBy(sink);
}

describe('a cut stream that is resumed', () => {
  test('sends the newest change of every item, and no change twice, wherever it was cut', () => {
    const cuts = fc.array(fc.nat(50), { maxLength: 4 });
    fc.assert(
      fc.property(records, fc.array(fc.nat(40), { maxLength: 10 }), cuts, (given, pauses, cutAt) => {
        const all = changesOf(given as Records);
        const newest = new Map(
          all
            .flat()
            .flatMap(({ kind, id, slot, offset, item }) => (kind === 'security' ? [] : [[`${kind} ${id}`, `${slot}/${offset}/${item}`]])),
        );
        const got: Sent[] = [];
        let from = START;
        for (const cut of cutAt) {
          const part = streamed(all, from, pauses).slice(0, cut);
          got.push(...part);
          from = part.at(-1)?.resume ?? from;
        }
        got.push(...streamed(all, from, pauses));
        expect(new Set(got.map(({ at }) => at)).size).toBe(got.length);
        expect(new Map(got.map(({ key, at }) => [key, at]))).toEqual(newest);
      }),
      { numRuns: 500 },
    );
  });

  test('also where the backlog is read and new changes arrive meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.nat(40), fc.nat(40), async (given, joined, until) => {
        const all = changesOf(given as Records);
        const [low, high] = [Math.min(joined, until), Math.max(joined, until)];
        const sink = new Sink();
        const stream = new ReaderStream(sink, caller, form, textOf);
        stream.start(START);
        // Between the two, the feed and the backlog both have the changes.
        for (const changes of all.slice(low)) stream.offer(changes, START.place);
        stream.accept(all.slice(0, high).flat());
        await stream.drain();
        stream.follow(passing(all.slice(0, high).flat()), START.place);
        const shown = passing(all.flat());
        stream.flush(shown, () => textOf({ place: shown }), 60_000);
        const got = sentBy(sink);
        expect(new Set(got.map(({ at }) => at)).size).toBe(got.length);
        const shownItems = all.flat().filter(({ kind }) => kind !== 'security');
        expect(new Map(got.map(({ key, at }) => [key, at]))).toEqual(
          new Map(shownItems.map(({ kind, id, slot, offset, item }) => [`${kind} ${id}`, `${slot}/${offset}/${item}`])),
        );
      }),
      { numRuns: 300 },
    );
  });
});

const change = (n: number, id = String(n)): Change => ({
  ...{ kind: 'call' as const, id, event_type: 'x', at_ms: 0, slot: 0, topic: 't', partition: 0, offset: n, item: 0 },
});

function following(): { stream: ReaderStream; sink: Sink } {
  const sink = new Sink();
  const stream = new ReaderStream(sink, caller, form, textOf);
  stream.start(START);
  stream.follow(START.place, START.place);
  return { stream, sink };
}

describe('a stream', () => {
  const shown = [100_000, 0, 0];
  const text = () => textOf({ place: shown });

  test('sends the newest of several changes of an item', () => {
    const { stream, sink } = following();
    stream.offer([change(0, 'a'), change(1, 'b'), change(2, 'a')], shown);
    stream.flush(shown, text, 60_000);
    expect(sentBy(sink).map(({ key, at }) => [key, at])).toEqual([
      ['call b', '0/1/0'],
      ['call a', '0/2/0'],
    ]);
  });

  test('sends a bounded number of events a second; what waits is merged by item', () => {
    const { stream, sink } = following();
    stream.offer(
      Array.from({ length: 500 }, (_, n) => change(n, String(n % 250))),
      shown,
    );
    expect(stream.flush(shown, text, 60_000)).toBe(true);
    expect(sentBy(sink)).toHaveLength(EVENTS_PER_SECOND_MAX);
    expect(stream.flush(shown, text, 60_500)).toBe(true);
    expect(sentBy(sink)).toHaveLength(EVENTS_PER_SECOND_MAX * 1.5);
    expect(stream.flush(shown, text, 62_000)).toBe(false);
    expect(sentBy(sink)).toHaveLength(250);
  });

  test('tells its reader to read its lists again if too many items wait, and goes on from there', () => {
    const { stream, sink } = following();
    stream.offer(
      Array.from({ length: PENDING_MAX + 1 }, (_, n) => change(n)),
      [5_000, 0, 0],
    );
    expect(sink.texts.at(-1)).toContain('"reason":"too_many_changes"');
    stream.offer([change(6_000, 'later')], shown);
    stream.flush(shown, text, 60_000);
    expect(sentBy(sink).map(({ key }) => key)).toEqual(['call later']);
  });

  test('without events tells its reader a newer cursor by an id alone, now and then', () => {
    const { stream, sink } = following();
    stream.flush(shown, text, 9_000);
    expect(sink.texts).toHaveLength(1);
    stream.flush(shown, text, 11_000);
    expect(sink.texts.slice(1)).toEqual([`id: ${textOf({ place: shown })}\n\n`]);
  });
});
