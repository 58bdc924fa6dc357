import { expect, test } from 'vitest';
import { Positions } from './positions.js';

test('the highest offset of each partition is sent back', () => {
  const positions = new Positions();
  expect(positions.header()).toBeUndefined();
  positions.record('tool-executed:0:41, policy-decided:2:7');
  positions.record('tool-executed:0:12');
  positions.record('policy-decided:2:8');
  expect(positions.header()).toBe('tool-executed:0:41,policy-decided:2:8');
});

test('what is no position is skipped', () => {
  const positions = new Positions();
  for (const text of ['', 'a', 'a:b:c', 'tool-executed:0:x', 'tool-executed:0:1\r\nX: y', null, undefined]) positions.record(text);
  expect(positions.header()).toBeUndefined();
});

test('the header stays short: the partition not heard of for longest is dropped', () => {
  const positions = new Positions();
  for (let partition = 0; partition < 40; partition++) positions.record(`tool-executed:${partition}:1`);
  const header = positions.header() as string;
  expect(header.split(',')).toHaveLength(32);
  expect(header).not.toContain('tool-executed:7:');
  expect(header).toContain('tool-executed:39:');
});
