import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Gateway } from '../gateway/gateway.js';
import { VoteSender } from './vote-sender.js';

/** A store as the browser's. */
class MemoryStore {
  readonly items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, text: string) => void this.items.set(key, text);
  removeItem = (key: string) => void this.items.delete(key);
}

interface Sent {
  url: string;
  body: unknown;
  keepalive: boolean;
}

/** The part of a gateway that votes use; it answers what the spec says. */
class AnsweringGateway {
  readonly sent: Sent[] = [];
  readonly leaving = new Set<() => Promise<unknown>>();
  readonly invalidator = { changed: () => undefined };
  answer = () => new Response(JSON.stringify({ approval_id: 'a.1', status: 'granted', parts: [] }), { status: 200 });
  readonly send = async (request: Request): Promise<Response> => {
    const sent: Sent = { url: new URL(request.url).pathname, body: undefined, keepalive: request.keepalive };
    this.sent.push(sent);
    sent.body = await request.json();
    return this.answer();
  };
}

const RealRequest = Request;
let gateway: AnsweringGateway;
let store: MemoryStore;
let page: EventTarget & { document: EventTarget };
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  // in a browser an address is relative to the page
  vi.stubGlobal(
    'Request',
    class extends RealRequest {
      constructor(url: string, init: RequestInit) {
        super(new URL(url, 'http://gateway.test'), init);
      }
    },
  );
  gateway = new AnsweringGateway();
  store = new MemoryStore();
  page = Object.assign(new EventTarget(), { document: new EventTarget() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function opened(): VoteSender {
  const sender = new VoteSender(gateway as unknown as Gateway, store);
  sender.open(page as unknown as Window);
  return sender;
}
const vote = { approval_id: 'a.1', body: { vote: 'approve' as const }, sentence: 'Pay 5' };

test('a held vote is sent once, when its time is over', async () => {
  const sender = opened();
  sender.cast(vote, 5_000);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(gateway.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(gateway.sent).toEqual([{ url: '/v1/approvals/a.1/votes', body: { vote: 'approve' }, keepalive: false }]);
  expect(sender.state('a.1').kind).toBe('answered');
});

test('a vote that is taken back is never sent and not kept', async () => {
  const sender = opened();
  sender.cast(vote, 5_000);
  expect(store.items.size).toBe(1);
  sender.undo('a.1');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([gateway.sent.length, store.items.size]).toEqual([0, 0]);
});

test.each(['pagehide', 'freeze'])('%s sends what is held, before the page is gone, so that the browser finishes it', async (type) => {
  const sender = opened();
  sender.cast(vote, 5_000);
  (type === 'freeze' ? page.document : page).dispatchEvent(new Event(type));
  // at once: no task of the page runs after this
  expect(gateway.sent).toMatchObject([{ keepalive: true }]);
  expect(store.items.size).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([gateway.sent.length, store.items.size]).toEqual([1, 0]);
});

test('a sign-out waits until what is held has been answered', async () => {
  opened().cast(vote, 5_000);
  await Promise.all([...gateway.leaving].map((finish) => finish()));
  expect([gateway.sent.length, store.items.size]).toEqual([1, 0]);
});

test('a vote without an answer is kept, and sent again by the next page if that is soon', async () => {
  gateway.answer = () => new Response('', { status: 503 });
  opened().cast(vote);
  await vi.advanceTimersByTimeAsync(0);
  expect(store.items.size).toBe(1);
  gateway.answer = () => new Response('{}', { status: 200 });
  const next = opened();
  await vi.advanceTimersByTimeAsync(0);
  expect([gateway.sent.length, store.items.size, next.state('a.1').kind]).toEqual([2, 0, 'answered']);
});

test('an old vote without an answer waits for its voter', async () => {
  gateway.answer = () => new Response('', { status: 503 });
  opened().cast(vote);
  await vi.advanceTimersByTimeAsync(61_000);
  const next = opened();
  await vi.advanceTimersByTimeAsync(0);
  expect([gateway.sent.length, next.state('a.1').kind]).toEqual([1, 'unsent']);
});

test('what is in the store and no vote is skipped', () => {
  for (const text of ['{', '{"a":1}', '[null, {"approval_id": 3}]']) {
    store.items.set('countersign:draft:votes', text);
    expect(opened().all()).toEqual([]);
  }
});
