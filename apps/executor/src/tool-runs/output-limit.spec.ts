import { cpuTime, RUNAWAY_MS } from '@countersign/contracts/testing/cpu-time';
import { jsonBytesAtLeast, NotJson } from '@countersign/tool-kit/json-size';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shorten } from './output-limit.js';

const bytes = (text: string) => Buffer.byteLength(text);

test('any JSON is shortened to any sensible limit and stays JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 64, max: 400 }), (value, limit) => {
      const whole = JSON.stringify(value);
      const { output_json, cuts } = shorten(value, limit);
      if (bytes(whole) <= limit) expect(output_json).toBe(JSON.stringify(JSON.parse(whole)));
      else {
        expect(output_json).not.toBeNull();
        expect(bytes(output_json as string)).toBeLessThanOrEqual(limit);
        expect(cuts.length).toBeGreaterThan(0);
        JSON.parse(output_json as string);
      }
    }),
    { numRuns: 500 },
  );
});

test('arrays keep their first items, long strings their beginning with the number of cut characters; small members stay complete', () => {
  const output = { total: 5000, rows: Array.from({ length: 5000 }, (_, id) => ({ id })), note: 'n'.repeat(5000) };
  const { output_json, cuts } = shorten(output, 2000);
  const shorter = JSON.parse(output_json as string) as { total: number; rows: { id: number }[]; note: string };
  expect(shorter.total).toBe(5000);
  expect(shorter.rows.length).toBeGreaterThan(30);
  expect(shorter.rows[3]).toEqual({ id: 3 });
  expect(shorter.note).toMatch(/^n+… \[\d+ more characters\]$/);
  expect(cuts.join()).toMatch(/\/rows: the first \d+ of 5000 items/);
  expect(cuts.join()).toMatch(/\/note: the first \d+ of 5000 characters/);
});

test('a cut never splits a character', () => {
  const { output_json } = shorten('😀'.repeat(500), 200);
  expect(output_json).not.toMatch(/\\ud83d"|\\ud83d…/i);
});

test('the size is known before any text is made, and never too large', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonBytesAtLeast(value, 1e9)).toBeLessThanOrEqual(bytes(JSON.stringify(value)));
    }),
    { numRuns: 2_000 },
  );
  const took_ms = cpuTime(() => {
    expect(jsonBytesAtLeast(new Array(4e9), 1e6)).toBeGreaterThan(1e6);
    expect(jsonBytesAtLeast({ text: 'x'.repeat(2 ** 28) }, 1e6)).toBeGreaterThan(1e6);
  });
  expect(took_ms).toBeLessThan(RUNAWAY_MS);
});

test.each([
  [
    'a ring',
    () => {
      const ring: { self?: unknown } = {};
      ring.self = ring;
      return ring;
    },
  ],
  ['a BigInt', () => ({ n: 1n })],
  ['a function', () => ({ f: () => 1 })],
  ['bytes', () => ({ b: Buffer.from('x') })],
])('%s is not JSON', (_what, make) => {
  expect(() => jsonBytesAtLeast(make(), 1e9)).toThrow(NotJson);
});
