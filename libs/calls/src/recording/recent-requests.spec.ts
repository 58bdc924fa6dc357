import { expect, test } from 'vitest';
import { RecentRequests } from './recent-requests.js';

test('remembers the newest 10,000 requests and forgets one that could not be recorded', () => {
  const recent = new RecentRequests();
  for (let i = 0; i < 10_000; i++) recent.add(`${i}`);
  recent.add('0');
  recent.add('new');
  expect([recent.has('0'), recent.has('1'), recent.has('2'), recent.has('new')]).toEqual([true, false, true, true]);
  recent.remove('new');
  expect(recent.has('new')).toBe(false);
});
