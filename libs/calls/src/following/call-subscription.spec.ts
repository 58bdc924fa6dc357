import { evolve, type PlacedEvent } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '../testing/samples.js';
import { type Timed } from '../waiting/timer-wheel.js';
import { WatchedCalls } from '../waiting/watched-calls.js';
import { CallFeeds } from './call-feed.js';
import type { CallSnapshot } from './call-snapshot.js';
import type { CallFollower } from './call-subscription.js';

/** Stores the one wait of a feed and its requested delay. */
class Waits {
  requested_ms: number[] = [];
  private waiting: Timed | undefined;
  add(item: Timed, delay_ms: number): number {
    this.requested_ms.push(delay_ms);
    this.waiting = item;
    return 0;
  }
  remove(): void {
    this.waiting = undefined;
  }
  over(): void {
    const item = this.waiting;
    this.waiting = undefined;
    item?.due();
  }
}

const call = sampleCall();
const facts: PlacedEvent[] = [
  placed('tool_call_requested', { meta: sampleMeta(), call }, 'tool-call-requested'),
  placed('policy_decided', sampleRuling({ call }), 'policy-decided'),
  placed('tool_executed', sampleEnd(), 'tool-executed'),
];
const stateAfter = (count: number) => {
  const [first, ...more] = facts.slice(0, count) as [PlacedEvent, ...PlacedEvent[]];
  return more.reduce((state, at) => evolve(state, at), evolve(undefined, first));
};

const frame = (id: number, envelope: string) => `id: ${id} ${envelope}`;

class Reader implements CallFollower {
  readonly frames: string[] = [];
  constructor(private readonly clearances: readonly string[]) {}
  status(snapshot: CallSnapshot): void {
    this.frames.push(snapshot.text({ clearances: this.clearances }, frame) as string);
  }
  progressed(): void {}
  ended(): void {
    this.frames.push('END');
  }
}

/** Counts reads of the views and built envelopes. */
function world(view: { facts: number }) {
  const watchedCalls = new WatchedCalls();
  const wheel = new Waits();
  const counts = { reads: 0, opened: 0 };
  const refresh = () => {
    counts.reads++;
    watchedCalls.learn(stateAfter(view.facts));
  };
  const text = (_tenant: string, envelope: string) => {
    counts.opened++;
    return envelope;
  };
  const feeds = new CallFeeds({ tracker: { watchedCalls, wheel: wheel as never, refresh }, readable: { text } });
  const open = (clearances: readonly string[] = [], last_id = 0) => {
    const reader = new Reader(clearances);
    const leave = feeds.follow(stateAfter(view.facts), last_id, reader);
    return { reader, leave };
  };
  return { watchedCalls, wheel, feeds, counts, open };
}

describe('one stream', () => {
  test('an end recorded between the read and the watch is found within half a second, and the stream ends', () => {
    const view = { facts: 2 };
    const { watchedCalls, wheel, feeds, open } = world(view);
    const { frames } = open().reader;
    wheel.over(); // the view lags behind
    expect(frames.join('')).not.toContain('succeeded');
    view.facts = 3;
    wheel.over();
    expect(wheel.requested_ms.slice(0, 2).reduce((sum, ms) => sum + ms)).toBeLessThan(500);
    expect(frames.at(-2)).toContain('"status":"succeeded"');
    expect(frames.at(-1)).toBe('END');
    expect([watchedCalls.size, feeds.size]).toEqual([0, 0]);
  });

  test('while nothing happens the view is read less and less often, and a read without changes notifies no reader', () => {
    const { wheel, counts, open } = world({ facts: 2 });
    const { frames } = open().reader;
    expect(frames).toHaveLength(1);
    for (let turn = 0; turn < 12; turn++) wheel.over();
    expect(wheel.requested_ms).toEqual([...wheel.requested_ms].sort((a, b) => a - b));
    expect(wheel.requested_ms.at(-1)).toBe(60_000);
    expect([counts.reads, frames.length]).toEqual([12, 1]);
  });

  test('a stream that reconnects gets the changes since its last id, and a closed one gets nothing', () => {
    const view = { facts: 2 };
    const { watchedCalls, open } = world(view);
    const first = open();
    const last_id = Number(/^id: (\d+)/.exec(first.reader.frames[0] as string)?.[1]);
    first.leave();
    const again = open([], last_id);
    expect(again.reader.frames).toEqual([]);
    watchedCalls.apply(facts[2] as PlacedEvent);
    expect(again.reader.frames).toEqual([expect.stringContaining('"status":"succeeded"'), 'END']);
    expect(first.reader.frames).toHaveLength(1);
  });
});

describe('many streams of one call', () => {
  const STREAMS = 1_000;

  test('add no read, no timer and no envelope: the work does not grow with their number', () => {
    const cost = (streams: number) => {
      const view = { facts: 2 };
      const { watchedCalls, wheel, counts, open } = world(view);
      const readers = Array.from({ length: streams }, () => open().reader);
      const joined = counts.opened;
      for (let turn = 0; turn < 10; turn++) wheel.over();
      const idle = { reads: counts.reads, timers: wheel.requested_ms.length, opened: counts.opened - joined };
      watchedCalls.apply(facts[2] as PlacedEvent);
      expect(readers.every(({ frames }) => frames.at(-1) === 'END' && frames.at(-2)?.includes('succeeded'))).toBe(true);
      return { ...idle, notified: counts.opened - joined, size: watchedCalls.size };
    };
    expect(cost(STREAMS)).toEqual(cost(1));
    expect(cost(1)).toEqual({ reads: 10, timers: 11, opened: 0, notified: 1, size: 0 });
  });

  test('readers with different clearances get different envelopes', () => {
    const view = { facts: 2 };
    const { watchedCalls, counts, open } = world(view);
    const readers = [[], ['secret'], [], ['secret']].map((clearances) => open(clearances).reader);
    const before = counts.opened;
    watchedCalls.apply(facts[2] as PlacedEvent);
    expect(counts.opened - before).toBe(2);
    expect(readers.map(({ frames }) => frames.length)).toEqual([3, 3, 3, 3]);
  });

  test('closing one stream does not affect the others; closing the last one ends the watch', () => {
    const { watchedCalls, feeds, open } = world({ facts: 2 });
    const [a, b] = [open(), open()];
    a.leave();
    a.leave();
    expect([watchedCalls.size, feeds.size]).toEqual([1, 1]);
    b.leave();
    expect([watchedCalls.size, feeds.size]).toEqual([0, 0]);
  });
});

describe('many waiters for one call', () => {
  class Listener {
    heard = 0;
    changed(): void {
      this.heard++;
    }
  }

  test('a read of the view without changes notifies only readers that joined since the last one', () => {
    const watchedCalls = new WatchedCalls();
    const listeners = Array.from({ length: 100 }, () => new Listener());
    for (const listener of listeners) {
      watchedCalls.watch(stateAfter(2).call_id, 'acme', listener);
      watchedCalls.learn(stateAfter(2));
    }
    expect(listeners.map(({ heard }) => heard)).toEqual(listeners.map(() => 1));
    watchedCalls.learn(stateAfter(2));
    expect(listeners.every(({ heard }) => heard === 1)).toBe(true);
    watchedCalls.learn(stateAfter(3));
    expect(listeners.every(({ heard }) => heard === 2)).toBe(true);
  });

  test('the view is read once for all concurrent readers, and a reader that joins later gets the known state', () => {
    const watchedCalls = new WatchedCalls();
    const { call_id } = stateAfter(2);
    watchedCalls.watch(call_id, 'acme', new Listener());
    expect(Array.from({ length: 50 }, () => watchedCalls.shouldRead(call_id, 1_000, 500))).toEqual([true, ...Array(49).fill(false)]);
    watchedCalls.learn(stateAfter(2));
    const late = new Listener();
    watchedCalls.watch(call_id, 'acme', late);
    expect([watchedCalls.shouldRead(call_id, 1_400, 500), late.heard]).toEqual([false, 1]);
    expect(watchedCalls.shouldRead(call_id, 1_500, 500)).toBe(true);
    expect(watchedCalls.shouldRead('unknown', 1_500, 500)).toBe(true);
  });
});
