import { expect, test } from 'vitest';
import type { Block, StepBlock } from './definition.js';
import { latencyAfter, latencyOf, stepDeadline } from './latency.js';

const step = (name: string): StepBlock => ({ kind: 'step', name, use: { tool: name, version: '1.0.0', inputs: {} } });
const latencies = { a: 100, b: 300, c: 50 };

test('a sequence adds up; parallel branches count as the one that completes their join', () => {
  expect(latencyOf({ kind: 'sequence', blocks: [step('a'), step('b')] }, latencies)).toBe(400);
  const branches = [step('a'), step('b'), step('c')];
  expect(latencyOf({ kind: 'parallel', join: { kind: 'all' }, branches }, latencies)).toBe(300);
  expect(latencyOf({ kind: 'parallel', join: { kind: 'quorum', count: 2 }, branches }, latencies)).toBe(100);
  expect(latencyOf({ kind: 'parallel', join: { kind: 'first_success' }, branches }, latencies)).toBe(50);
});

test('the remaining time is shared by estimate; after the deadline no time remains', () => {
  const root: Block = { kind: 'sequence', blocks: [step('a'), step('b')] };
  expect([latencyAfter(root, 'a', latencies), latencyAfter(root, 'b', latencies)]).toEqual([300, 0]);
  const first = { step: step('a'), level: 0 };
  expect(stepDeadline(root, first, latencies, { now_ms: 0, deadline_ms: 800 })).toBe(200);
  expect(stepDeadline(root, first, latencies, { now_ms: 900, deadline_ms: 800 })).toBe(900);
});

test('time is kept for the later levels of a step', () => {
  const declared = { ...step('a').use, p99_ms: 200 };
  const levels: StepBlock = { ...step('a'), fallbacks: [step('a').use, declared] };
  const share = (level: number) => stepDeadline(levels, { step: levels, level }, latencies, { now_ms: 0, deadline_ms: 1_200 });
  expect([share(0), share(1), share(2)]).toEqual([300, 400, 1_200]);
});

test('a step may be named like a built-in member of objects', () => {
  expect(latencyOf(step('constructor'), {})).toBe(1);
});
