import { BoundTables, type Sql } from '@countersign/store';
import { expect, test } from 'vitest';
import { CallStates } from '../folding/call-states.js';
import type { WritePlan } from '../folding/write-plan.js';
import { projections } from '../projections/index.js';
import { courses, SampleHistory } from '../testing/sample-history.js';
import { Refold } from './refold.js';

const CALLS_A_WRITE = 200;
const LIMIT = 500;

const nothing: Sql = { query: async () => [] };
const tables = new BoundTables(new Map());
const plan: WritePlan = {
  number: 0,
  group: 'replay-1',
  states: tables,
  tables,
  projections: new Set(projections.map(({ set }) => set.name)),
  held: { text: 'SELECT 1', params: [] },
};

/** Cached states after each write of this many calls that all end, or of which every second waits forever. */
async function heldAfterWrites(course: (n: number) => (typeof courses)[number]): Promise<number[]> {
  const history = new SampleHistory();
  const states = new CallStates(0, LIMIT);
  const refold = new Refold(plan, projections, states, []);
  const held: number[] = [];
  for (let write = 0; write < 14; write++) {
    for (let n = 0; n < CALLS_A_WRITE; n++) history.call(course(n), null);
    await refold.fold(nothing, history.events.splice(0));
    expect(refold.calls).toBe(CALLS_A_WRITE);
    const refolded = refold.take();
    expect(refold.isEmpty).toBe(true);
    refold.written(refolded);
    held.push(states.size);
  }
  return held;
}

test('the memory of a replay does not grow: ended calls are evicted after the next write', async () => {
  const held = await heldAfterWrites(() => 'allowed');
  expect(Math.max(...held)).toBeLessThanOrEqual(2 * CALLS_A_WRITE);
});

test('calls that never end are cached up to a limit, and then the longest unchanged are evicted', async () => {
  const held = await heldAfterWrites((n) => (n % 2 === 0 ? 'rejudged' : 'allowed'));
  expect(held[3]).toBeGreaterThanOrEqual(2 * CALLS_A_WRITE);
  expect(Math.max(...held.slice(8))).toBeLessThanOrEqual(LIMIT + CALLS_A_WRITE);
});
