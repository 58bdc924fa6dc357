import { expect, test } from 'vitest';
import { lagOf, lagText } from './lag.js';

const line = (topic: string, partition: number, value: string) =>
  `countersign_projector_lag_records{topic="${topic}",partition="${partition}"} ${value}`;

test('the lag of a topic is the sum of its partitions, and the largest comes first', () => {
  const metrics = ['# HELP x', line('a', 0, '1'), line('b', 0, '4'), line('b', 1, '5'), 'other{topic="c"} 9'].join('\n');
  const lag = lagOf(metrics);
  expect(lag).toEqual([
    { topic: 'b', records: 9, unknown: 0 },
    { topic: 'a', records: 1, unknown: 0 },
  ]);
  expect(lagText(lag ?? [])).toBe('The views are 10 records behind: b 9, a 1.');
});

test('a partition whose log did not answer is not counted as caught up', () => {
  const lag = lagOf([line('a', 0, 'Nan'), line('a', 1, '0')].join('\n'));
  expect(lag).toEqual([{ topic: 'a', records: 0, unknown: 1 }]);
  expect(lagText(lag ?? [])).toBe('The log did not answer for 1 partition.');
});

test('metrics without the lag say nothing about it', () => {
  expect(lagOf('countersign_other 1\n')).toBeUndefined();
  expect(lagText(lagOf(line('a', 0, '0')) ?? [])).toBe('The views contain all records of the log.');
});
