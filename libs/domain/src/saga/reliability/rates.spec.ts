import { expect, test } from 'vitest';
import { chainOf, level, ratesOf, sequence, step } from '../../testing/reliability/chains.js';
import type { Block } from '../definition/definition.js';
import { differenceMax } from './agreement.js';
import { type ChainRates, type LevelRates, ratesFaults } from './rates.js';
import { simulationFault } from './simulate.js';
import { wilsonInterval } from './wilson.js';

const map = (name: string, body: Block): Block => ({
  ...{ kind: 'map', name, over: { from: '/inputs/x' }, concurrency: 1, join: { kind: 'all' } },
  body,
});
const faults = (root: Block, rates: ChainRates) => ratesFaults(chainOf(root), rates).map(({ step: at, pointer }) => `${at} ${pointer}`);
const rated = (...levels: LevelRates[]) => faults(step('a', 2), ratesOf({ a: levels }));

test('a level without rates, and rates that are not shares, are faults with step and pointer', () => {
  expect(rated(level(0.9), level(1, 0.1))).toEqual([]);
  expect(rated(level(0.9))).toEqual(['a /root/fallbacks/0']);
  expect(faults(step('constructor'), ratesOf({}))).toEqual(['constructor /root/use']);
  for (const wrong of [level(-0.1), level(1.1), level(Number.NaN), level(0.5, 0.6), level(1, -0.1), level(1, Number.POSITIVE_INFINITY)])
    expect(rated(wrong, level(0.9))).toEqual(['a /root/use']);
  for (const [p50_ms, p99_ms] of [
    [2, 1],
    [-1, 1],
    [Number.NaN, 1],
    [1, Number.POSITIVE_INFINITY],
  ] as const)
    expect(rated(level(1, 0, { p50_ms, p99_ms }), level(0.9))).toEqual(['a /root/use']);
});

test('shares of choices, lengths of lists and shares of answers are checked', () => {
  const branch: Block = { kind: 'branch', name: 'x', choices: [{ when: 'p', block: step('a') }] };
  const wait: Block = { kind: 'wait', name: 'w', wait: 'event', subject: 's', timeout_ms: 1, on_timeout: 'fail' };
  const of = (more: Partial<ChainRates>) => faults(sequence(branch, map('m', step('a')), wait), ratesOf({ a: [level(1)] }, more));
  expect(of({})).toEqual([]);
  for (const shares of [[0.5, 0.5], [1.1], [-1], []]) expect(of({ choices: new Map([['x', shares]]) })).toEqual(['x /root/blocks/0']);
  for (const items of [-1, 1.5, 1_001, Number.NaN]) expect(of({ items: new Map([['m', items]]) })).toEqual(['m /root/blocks/1/over']);
  for (const share of [-0.1, 1.1, Number.NaN]) expect(of({ answered: new Map([['w', share]]) })).toEqual(['w /root/blocks/2']);
});

test('a chain with more calls than a simulation can run is not simulated', () => {
  const nested = (levels: number): Block => (levels === 0 ? step('a') : map(`m${levels}`, nested(levels - 1)));
  const items = new Map(Array.from({ length: 10 }, (_, n) => [`m${n}`, 1_000] as const));
  expect(simulationFault(chainOf(nested(1)), ratesOf({}))).toBeUndefined();
  expect(simulationFault(chainOf(nested(5)), ratesOf({}, { items }))).toContain('at most 200 are simulated');
});

test('few runs explain any difference, many runs a small one', () => {
  expect(differenceMax(0.99, 1)).toBeGreaterThan(1);
  expect(differenceMax(0.975, 100_000)).toBeCloseTo(0.0023, 4);
  expect(differenceMax(1, 100_000)).toBeLessThan(1e-4);
});

test('the interval of a share is wide after few runs, and never leaves 0 to 1', () => {
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  const { low, high } = wilsonInterval(95, 100);
  expect([low, high].map((end) => Number(end.toFixed(3)))).toEqual([0.888, 0.978]);
  expect(wilsonInterval(10, 10).high).toBeCloseTo(1, 12);
  expect(wilsonInterval(10, 10).low).toBeCloseTo(0.722, 3);
});
