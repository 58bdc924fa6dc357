import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NewestByKey } from './newest-by-key.js';

const names = Array.from({ length: 12 }, (_, at) => `key-${at}`);
const keys = fc.constantFrom(...names);
const steps = fc.array(fc.record({ key: keys, kind: fc.constantFrom('set', 'set', 'set', 'delete') }), { maxLength: 200 });

describe('the newest values by key', () => {
  test('contains the last set and not deleted values, at least the newest half of the maximum, and never more than it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 }), steps, (max, taken) => {
        const newest = new NewestByKey<number>(max);
        const model = new Map<string, number>();
        const set: string[] = [];
        for (const [at, { key, kind }] of taken.entries()) {
          model.delete(key);
          if (kind === 'set') {
            model.set(key, at);
            newest.set(key, at);
            set.push(key);
          } else newest.delete(key);
          const held = names.filter((name) => newest.get(name) !== undefined);
          for (const name of held) expect(newest.get(name)).toBe(model.get(name));
          for (const name of set.slice(-Math.floor(max / 2))) expect(newest.get(name)).toBe(model.get(name));
          expect(held.length).toBeLessThanOrEqual(max);
        }
      }),
    );
  });

  test('without deletions contains the newest half of the maximum, counted by key', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.array(fc.nat(60), { maxLength: 300 }), (max, taken) => {
        const newest = new NewestByKey<number>(max);
        for (const key of taken) newest.set(String(key), key);
        const distinct = [...new Set([...taken].reverse())].slice(0, Math.floor(max / 2));
        for (const key of distinct) expect(newest.get(String(key))).toBe(key);
      }),
    );
  });

  test('entries that match a condition are deleted from both generations, the rest stays', () => {
    const newest = new NewestByKey<number>(6);
    for (let at = 1; at <= 5; at++) newest.set(`key-${at}`, at);
    newest.deleteWhere((value) => value % 2 === 1);
    expect([1, 2, 3, 4, 5].map((at) => newest.get(`key-${at}`))).toEqual([undefined, 2, undefined, 4, undefined]);
  });
});
