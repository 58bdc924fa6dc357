import { expect, test } from 'vitest';
import { until } from '../testing/raw-connection.js';
import { LargeBodies } from './large-bodies.js';

test('the first body is handled at once; then tenants take turns, one body each', async () => {
  const large = new LargeBodies();
  const order: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) large.take(name.slice(0, 1), () => order.push(name));
  expect(order).toEqual(['a1']);
  await until(() => order.length === 6);
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(large.size).toBe(0);
});

test('other work runs between two large bodies', async () => {
  const large = new LargeBodies();
  const order: string[] = [];
  large.take('a', () => order.push('first'));
  large.take('a', () => order.push('second'));
  setImmediate(() => order.push('another'));
  await until(() => order.length === 3);
  expect(order).toEqual(['first', 'another', 'second']);
});

test('a withdrawn body is not handled, and a failing one does not stop the others', async () => {
  const large = new LargeBodies();
  const order: string[] = [];
  expect(() =>
    large.take('a', () => {
      throw new Error('bad');
    }),
  ).toThrow('bad');
  const takeBack = large.take('b', () => order.push('taken back'));
  large.take('c', () => order.push('c'));
  takeBack();
  takeBack();
  await until(() => order.length > 0);
  expect([order, large.size]).toEqual([['c'], 0]);
});
