import { expect, test } from 'vitest';
import { RecentMap } from './recent-map.js';

test('keeps the newest entries, and drops older ones once there are twice as many', () => {
  const map = new RecentMap<number | null>(10);
  for (let n = 0; n < 25; n++) map.set(`k${n}`, n);
  const kept = Array.from({ length: 25 }, (_, n) => map.get(`k${n}`)).filter((value) => value !== undefined);
  expect(kept).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  map.set('k24', null);
  expect([map.get('k24'), map.get('k9')]).toEqual([null, undefined]);
});
