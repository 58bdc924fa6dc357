import type { SeenTool, Upstream, UpstreamListing } from '@countersign/domain';
import { expect, test } from 'vitest';
import { type ListingPace, ListingSchedule } from './listing-schedule.js';

const pace: ListingPace = { http_ms: 1_000, command_ms: 3_000, missing_ms: 100, failed_ms: 10, least_ms: 50, not_mine_ms: 20 };
const KEY = 'acme/files';
const at = (revision: number, kind: 'http' | 'command' = 'http') => ({ revision, place: { kind } }) as unknown as Upstream;
const listing = (is_healthy: boolean, ...tools: Partial<SeenTool>[]) =>
  ({ revision: 1, is_healthy, tools: new Map(tools.map((tool, n) => [String(n), tool])) }) as unknown as UpstreamListing;

function after(seen: UpstreamListing, upstream = at(1), now_ms = 0): ListingSchedule {
  const schedule = new ListingSchedule(pace);
  schedule.isNew(KEY, 1);
  schedule.listed(KEY, upstream, seen, now_ms);
  return schedule;
}
const dueAt = (schedule: ListingSchedule) => [10, 20, 40, 50, 100, 1_000, 3_000].find((now_ms) => schedule.isDue(KEY, 1, now_ms));

test('an upstream is due once it is set, and again with each revision', () => {
  const schedule = new ListingSchedule(pace);
  expect([schedule.isNew(KEY, 1), schedule.isNew(KEY, 1), schedule.isDue(KEY, 1, 0)]).toEqual([true, false, true]);
  schedule.listed(KEY, at(1), listing(true), 0);
  expect([schedule.isDue(KEY, 1, 1), schedule.isNew(KEY, 2), schedule.isDue(KEY, 2, 1)]).toEqual([false, true, true]);
});

test('a healthy one waits as its kind does, and no longer than a minute while a tool is missing', () => {
  expect(dueAt(after(listing(true)))).toBe(1_000);
  expect(dueAt(after(listing(true), at(1, 'command')))).toBe(3_000);
  expect(dueAt(after(listing(true, { missing_since_ms: 1, is_gone: false })))).toBe(100);
  expect(dueAt(after(listing(true, { missing_since_ms: 1, is_gone: true })))).toBe(1_000);
});

test('an unhealthy one is tried again soon, then ever later, up to its usual time', () => {
  const schedule = after(listing(false));
  expect(dueAt(schedule)).toBe(10);
  schedule.listed(KEY, at(1), listing(false), 0);
  expect(dueAt(schedule)).toBe(20);
  for (let failures = 0; failures < 30; failures++) schedule.listed(KEY, at(1), listing(false), 0);
  expect(dueAt(schedule)).toBe(1_000);
});

test('a server that says that its list has changed is listed at once, but never more often than the least time', () => {
  const schedule = after(listing(true));
  schedule.hasten(KEY, 5);
  expect(dueAt(schedule)).toBe(50);
  schedule.hasten('acme/unknown', 5);
  schedule.notMine(KEY, 20);
  expect(dueAt(schedule)).toBe(40);
});
