import { expect, test } from 'vitest';
import { chainOf, FIVE, fiveRates, fiveSteps, level, ratesOf, sequence, step } from '../../testing/reliability/chains.js';
import type { Block } from '../definition/definition.js';
import { SagaSimulation } from './simulate.js';

const LATENCY = { p50_ms: 50, p99_ms: 200 };
const at = (value: number | null, of: number) => expect(Math.abs((value ?? 0) / of - 1)).toBeLessThan(0.05);

test('the same seed gives the same ends, another one does not', () => {
  const ends = (seed: number) => new SagaSimulation(fiveSteps, fiveRates(0.02), seed).run(300).ends;
  expect(ends(1)).toEqual(ends(1));
  expect(ends(1)).not.toEqual(ends(2));
});

test('every run ends once, also where a doubt and a person are waited for', () => {
  const steps = FIVE.map((name) => step(name, 1, { manual: 'do it' }));
  const rates = ratesOf(Object.fromEntries(FIVE.map((name) => [name, [level(0.7, 0.2)]])));
  const { runs, completed, by_person, in_doubt, failed } = new SagaSimulation(chainOf(sequence(...steps)), rates, 3).run(2_000).ends;
  expect([completed + by_person + failed, failed]).toEqual([runs, 0]);
  expect(by_person / runs).toBeCloseTo(1 - 0.7 ** 5, 1);
  expect(in_doubt / runs).toBeCloseTo(1 - 0.8 ** 5, 1);
});

test('the latency of one call has the quantiles of its level, and time waits count', () => {
  const one = new SagaSimulation(chainOf(step('a')), ratesOf({ a: [level(1, 0, LATENCY)] }), 1).run(20_000);
  at(one.latency(0.5), 50);
  at(one.latency(0.99), 200);
  const pause: Block = { kind: 'wait', name: 'w', wait: 'time', timeout_ms: 1_000, on_timeout: 'continue' };
  const waited = new SagaSimulation(chainOf(sequence(pause, step('a'))), ratesOf({ a: [level(1, 0, LATENCY)] }), 1).run(5_000);
  at(waited.latency(0.5), 1_050);
  expect(new SagaSimulation(chainOf(step('a')), ratesOf({ a: [level(0)] }), 1).run(10).latency(0.5)).toBeNull();
});

test('branches side by side take the time of the slowest, of the first one or of the sum by their join', () => {
  const fixed = ratesOf(Object.fromEntries([10, 20, 30].map((ms) => [`s${ms}`, [level(1, 0, { p50_ms: ms, p99_ms: ms })]])));
  const branches = [10, 20, 30].map((ms) => step(`s${ms}`));
  const median = (root: Block) => new SagaSimulation(chainOf(root), fixed, 1).run(5).latency(0.5);
  at(median({ kind: 'parallel', join: { kind: 'all' }, branches }), 30);
  at(median({ kind: 'parallel', join: { kind: 'first_success' }, branches }), 10);
  at(median(sequence(...branches)), 60);
  const pause = (name: string, timeout_ms: number): Block => ({ kind: 'wait', name, wait: 'time', timeout_ms, on_timeout: 'continue' });
  const waits = [pause('w1', 40), sequence(step('s30'), pause('w2', 5))];
  at(median({ kind: 'parallel', join: { kind: 'first_success' }, branches: waits }), 35);
});
