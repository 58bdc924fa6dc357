import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Timed } from '@countersign/calls';
import { StandInViews } from '@countersign/calls/testing/stand-in-views';
import { EventCodec } from '@countersign/contracts';
import { BatchDecoder, EmbeddedEventLog } from '@countersign/event-log';
import { createLogger, topicSpecs } from '@countersign/process';
import { PgliteStore } from '@countersign/store';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { EventFeeds } from './event-feeds.js';
import type { ReaderOut } from './reader-stream.js';

let dir: string;
let log: EmbeddedEventLog;
let store: PgliteStore;
let views: StandInViews;
const codec = new EventCodec();
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'countersign-feeds-'));
  log = await EmbeddedEventLog.open({ dir, fsync: 'none' });
  await log.ensureTopics(topicSpecs(['shared'], 2));
  store = await PgliteStore.open({ memory: true });
  views = new StandInViews(log, codec, store);
  await views.start();
}, 60_000);
let feeds: EventFeeds | undefined;
afterEach(() => feeds?.close());
afterAll(async () => {
  await views.close();
  await store.close();
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

/** A clock and a wheel of its own: `look` runs what is due. */
class Hand {
  now_ms = 0;
  readonly items = new Set<Timed>();
  add(item: Timed): void {
    this.items.add(item);
    item.slot = 1;
  }
  remove(item: Timed): void {
    this.items.delete(item);
    item.slot = null;
  }
  async look(after_ms = 0): Promise<void> {
    this.now_ms += after_ms;
    for (const item of [...this.items]) {
      this.remove(item);
      item.due();
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

class Out implements ReaderOut {
  over = false;
  text = '';
  constructor(private readonly is_slow: boolean) {}
  write(text: string | Promise<string>): void {
    this.text += text as string;
  }
  waitForCapacity(): Promise<boolean> | boolean {
    return this.is_slow ? new Promise(() => undefined) : !this.over;
  }
  close(): void {
    this.over = true;
  }
  whenLeft(): void {}
}

const caller = { tenant_id: 'acme', principal: { kind: 'user', id: 'olga', roles: ['admin'] } } as never;
const form = {
  ...{ kinds: new Set(['configuration'] as const), approvals: false, pending_max: 2_000 },
  text: ({ id }: { id: string }) => `event: configuration\ndata: ${id}\n\n`,
};

async function setLimit(limit_id: string): Promise<void> {
  const event_id = `00000000-0000-7000-8000-${limit_id.padStart(12, '0')}`;
  const meta = {
    ...{ event_id, tenant_id: 'acme', call_id: null, attempt: 0, causation_id: null },
    correlation_id: 'c',
    hlc: 1,
    partition: 0,
  };
  const event = {
    meta,
    version: `v${limit_id}`,
    shadow_version: null,
    by: { kind: 'user', id: 'o', roles: [] },
    activated_at_ms: 1,
    based_on: [],
  };
  const value = codec.encode('policy_bundle_activated', event as never);
  await log.append([
    { topic: 'configuration-changed', partition: 0, key: null, value, headers: { event_type: 'policy_bundle_activated' } },
  ]);
}

function feedsBy(hand: Hand, follow = log.follow.bind(log)): EventFeeds {
  const source = {
    follow,
    read: log.read.bind(log),
    head: log.head.bind(log),
    first: log.first.bind(log),
    partitions: log.partitions.bind(log),
  };
  const logger = createLogger('gateway', 'silent');
  const decoder = new BatchDecoder(codec, undefined);
  feeds = new EventFeeds({ log: source, store, decoder, logger, wheel: hand, monotonic_ms: () => hand.now_ms }, ['shared']);
  return feeds;
}

async function until(hand: Hand, holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    if (turn > 2_000) throw new Error('it did not become true');
    await hand.look(100);
  }
}

test('a feed that no stream joined, or that all streams left, stops reading the log', async () => {
  await setLimit('1');
  const hand = new Hand();
  let following = 0;
  const opened = feedsBy(hand, async (follower) => {
    const running = await log.follow(follower);
    following++;
    return { ...running, close: () => running.close().finally(() => following--) } as never;
  });
  expect(await opened.cursorOf('AAAA')).toBe('malformed');
  expect(following).toBe(1);
  await hand.look(29_000);
  expect(following).toBe(1);
  await hand.look(2_000);
  await until(hand, () => following === 0);
  expect(hand.items.size).toBe(0);
  await opened.cursorOf('AAAA');
  expect(following).toBe(1);
});

test('a reader that does not read its backlog delays no other one', async () => {
  const hand = new Hand();
  const opened = feedsBy(hand);
  const first = new Out(false);
  await opened.open({ out: first, caller, form, cursor: undefined });
  const cursor = await opened.cursorOf(/^id: (.*)$/m.exec(first.text)?.[1]);
  for (const id of ['2', '3', '4']) await setLimit(id);
  await until(hand, () => first.text.includes('active_policy'));
  const outs = [...Array.from({ length: 8 }, () => new Out(true)), new Out(false)];
  for (const out of outs) void opened.open({ out, caller, form, cursor: cursor as never });
  await until(hand, () => outs.at(-1)?.text.includes('active_policy') === true);
  expect(outs.slice(0, -1).every(({ text }) => text.includes('event: ready') && !text.includes('active_policy'))).toBe(true);
});
