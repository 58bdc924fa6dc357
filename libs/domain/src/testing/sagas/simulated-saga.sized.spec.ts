import { histories } from '@countersign/contracts/testing/histories';
import { expect, test } from 'vitest';
import { sagaFaults } from './planted-faults.js';
import { randomUndo } from './random-undo.js';
import { SimulatedSaga } from './simulated-saga.js';

const SEEDS = histories(100, 2_000);
const STEPS = 120;

test(`one effect per key, compensations newest first down to the pivot, one end, whatever happens in between (${SEEDS} seeds)`, () => {
  const ends: Record<string, number> = {};
  let undone = 0;
  let skipped = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { saga, log } = new SimulatedSaga(seed).run(STEPS);
    ends[saga.ended as string] = (ends[saga.ended as string] ?? 0) + 1;
    undone += log.filter(({ event_type }) => event_type === 'compensation_executed').length;
    skipped += log.filter(({ event_type }) => event_type === 'saga_level_skipped').length;
    expect(log.filter(({ event_type }) => event_type === 'saga_ended')).toHaveLength(1);
  }
  expect(Object.keys(ends).sort()).toEqual(['aborted', 'compensated', 'compensation_failed', 'completed']);
  expect(undone).toBeGreaterThan(SEEDS / 10);
  expect(skipped).toBeGreaterThan(SEEDS / 10);
});

test(`earlier calls are undone once each, newest first and one by one, whatever happens in between (${SEEDS} seeds)`, () => {
  const ends: Record<string, number> = {};
  for (let seed = 1; seed <= SEEDS; seed++) {
    const undoes = randomUndo(seed);
    const { saga, log } = new SimulatedSaga(seed, undefined, undoes).run(STEPS);
    ends[saga.ended as string] = (ends[saga.ended as string] ?? 0) + 1;
    const undone = [...saga.steps.values()].filter(({ runs }) => runs[0]?.undo).length;
    expect([undone, log.filter(({ event_type }) => event_type === 'saga_step_requested').length]).toEqual([undoes.length, 0]);
  }
  expect(Object.keys(ends).sort()).toEqual(['compensated', 'compensation_failed']);
});

test.each(sagaFaults)('the model detects an orchestrator that %s', (fault) => {
  const broken: string[] = [];
  for (let seed = 1; seed <= 1_000 && broken.length === 0; seed++) {
    try {
      new SimulatedSaga(seed, fault).run(STEPS);
    } catch (found) {
      broken.push(String(found));
    }
  }
  expect(broken.join()).toMatch(/S\d+: /);
});
