import { expect, test } from 'vitest';
import type { Span } from './call-times.js';
import { scaleOf } from './waterfall-scale.js';

const row = (key: string, ...spans: Span[]) => ({ key, name: key, status: 'running', spans });
const ran = (from_ms: number, to_ms: number): Span => ({ phase: 'running', from_ms, to_ms });
const waits = (from_ms: number, to_ms: number): Span => ({ phase: 'waiting', from_ms, to_ms, is_open: true });
const axis = (...rows: ReturnType<typeof row>[]) => [scaleOf(rows).from_ms, scaleOf(rows).to_ms];

test('the axis spans all rows', () => expect(axis(row('a', ran(100, 200)), row('b', ran(150, 400)))).toEqual([100, 400]));

test('a call that waits for days does not stretch what others did in seconds', () => {
  expect(axis(row('a', ran(0, 1_000)), row('b', waits(900, 9_000_000)))).toEqual([0, 1_150]);
});

test('what goes on for a short time is shown whole, and so is one call alone', () => {
  expect(axis(row('a', ran(0, 1_000)), row('b', waits(900, 1_800)))).toEqual([0, 1_800]);
  expect(axis(row('b', ran(0, 10), waits(10, 9_000_000)))).toEqual([0, 9_000_000]);
});

test('without a span there is an axis all the same', () => expect(axis()).toEqual([0, 10]));
