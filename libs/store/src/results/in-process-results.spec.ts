import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InProcessResults } from './in-process-results.js';
import { CACHED_BYTES_MAX } from './result-cache.js';

test('a result is found until it expires', () => {
  let now = 0;
  const results = new InProcessResults({ now_ms: () => now });
  results.put('a', Buffer.from('1'), 100);
  now = 99;
  expect(results.get('a')?.toString()).toBe('1');
  now = 100;
  expect(results.get('a')).toBeUndefined();
  expect(results.bytes).toBe(0);
});

test('the least recently used result is evicted first', () => {
  const results = new InProcessResults({ entries_max: 2 });
  results.put('a', Buffer.from('1'), 1e9);
  results.put('b', Buffer.from('2'), 1e9);
  results.get('a');
  results.put('c', Buffer.from('3'), 1e9);
  expect(['a', 'b', 'c'].map((key) => results.get(key)?.toString())).toEqual(['1', undefined, '3']);
});

test('the cache never exceeds its limits, whatever is stored', () => {
  const put = fc.record({
    key: fc.string({ maxLength: 3 }),
    bytes: fc.integer({ min: 0, max: 400 }),
    ttl_ms: fc.integer({ min: -1, max: 50 }),
  });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 200 }), (puts) => {
      const results = new InProcessResults({ entries_max: 20, bytes_max: 1000 });
      for (const { key, bytes, ttl_ms } of puts) {
        results.put(key, Buffer.alloc(bytes), ttl_ms);
        expect(results.size).toBeLessThanOrEqual(20);
        expect(results.bytes).toBeLessThanOrEqual(1000);
      }
    }),
  );
  const results = new InProcessResults();
  results.put('large', Buffer.alloc(CACHED_BYTES_MAX + 1), 1e9);
  expect(results.size).toBe(0);
});
