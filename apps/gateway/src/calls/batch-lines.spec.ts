import type { CallAnswer } from '@countersign/calls';
import { Refusal } from '@countersign/calls';
import { expect, test } from 'vitest';
import { BatchLines, type LineOrder } from './batch-lines.js';

const answer = (call_id: string) => ({ envelope: JSON.stringify({ call_id }) }) as CallAnswer;

/** The lines written after each of three answers, which arrive in the order 2, 0, 1. */
function written(order: LineOrder): number[][] {
  const out: string[] = [];
  const lines = new BatchLines({ write: (line: string) => out.push(line) } as never, () => new Refusal('unavailable', 'later'), order);
  const indexes = () => out.map((line) => (JSON.parse(line) as { index: number }).index);
  lines.answered(2, answer('c'));
  const first = indexes();
  lines.refused(0, new Refusal('invalid-request', 'no'));
  const second = indexes();
  lines.failed(1, new Error('x'));
  return [first, second, indexes()];
}

test('lines are written as calls end', () => {
  expect(written('completion')).toEqual([[2], [2, 0], [2, 0, 1]]);
});

test('in request order a line waits only for those before it', () => {
  expect(written('index')).toEqual([[], [0], [0, 1, 2]]);
});
