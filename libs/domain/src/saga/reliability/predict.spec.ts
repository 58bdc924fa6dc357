import { expect, test } from 'vitest';
import { chainOf, fiveRates, fiveSteps, level, ratesOf, sequence, step } from '../../testing/reliability/chains.js';
import type { Block, Join } from '../definition/definition.js';
import { predictSaga } from './predict.js';
import type { ChainRates } from './rates.js';

const of = (root: Block, rates: ChainRates) => predictSaga(chainOf(root), rates);
const rates = (more: Partial<ChainRates> = {}) => ratesOf({ a: [level(0.9)], b: [level(0.8)], c: [level(0.7)] }, more);
const [a, b, c] = [step('a'), step('b'), step('c')];
const parallel = (join: Join): Block => ({ kind: 'parallel', join, branches: [a, b, c] });

test('five steps at .95 with a secondary at .90 complete in .975 of all runs, and in .774 without', () => {
  const { reliability, without_fallbacks, in_doubt, by_person } = predictSaga(fiveSteps, fiveRates());
  expect(reliability).toBeCloseTo((1 - 0.05 * 0.1) ** 5, 12);
  expect(reliability).toBeCloseTo(0.975, 3);
  expect(without_fallbacks).toBeCloseTo(0.774, 3);
  expect([in_doubt, by_person]).toEqual([0, 0]);
});

test('a doubt is neither a failure nor a reason for the next level: it has its own line', () => {
  const { reliability, in_doubt, reliability_at_worst } = predictSaga(fiveSteps, fiveRates(0.02));
  expect(reliability).toBeCloseTo((1 - 0.05 * 0.1) ** 5, 12);
  const [completes, fails] = [0.93 + 0.05 * 0.88, 0.05 * 0.1];
  const undoubted = completes ** 5 + fails * [0, 1, 2, 3, 4].reduce((sum, n) => sum + completes ** n, 0);
  expect(in_doubt).toBeCloseTo(1 - undoubted, 12);
  expect(reliability_at_worst).toBeCloseTo((1 - 0.07 * 0.12) ** 5, 12);
});

test('a join completes with as many branches as it needs', () => {
  expect(of(parallel({ kind: 'all' }), rates()).reliability).toBeCloseTo(0.9 * 0.8 * 0.7, 12);
  expect(of(parallel({ kind: 'first_success' }), rates()).reliability).toBeCloseTo(1 - 0.1 * 0.2 * 0.3, 12);
  const two = 0.9 * 0.8 * 0.3 + 0.9 * 0.2 * 0.7 + 0.1 * 0.8 * 0.7 + 0.9 * 0.8 * 0.7;
  expect(of(parallel({ kind: 'quorum', count: 2 }), rates()).reliability).toBeCloseTo(two, 12);
});

test('a map counts each item of its list; an empty one completes', () => {
  const map = (join: Join): Block => ({ kind: 'map', name: 'm', over: { from: '/inputs/x' }, concurrency: 2, join, body: a });
  const items = (count: number) => rates({ items: new Map([['m', count]]) });
  expect(of(map({ kind: 'all' }), items(3)).reliability).toBeCloseTo(0.9 ** 3, 12);
  expect(of(map({ kind: 'quorum', count: 2 }), items(3)).reliability).toBeCloseTo(0.9 ** 3 + 3 * 0.9 ** 2 * 0.1, 12);
  expect(of(map({ kind: 'quorum', count: 2 }), items(0)).reliability).toBe(1);
  expect(of(map({ kind: 'all' }), rates()).reliability).toBeCloseTo(0.9, 12);
  const literal: Block = { kind: 'map', name: 'm', over: { literal: [1, 2] }, concurrency: 1, join: { kind: 'all' }, body: a };
  expect(of(literal, rates()).reliability).toBeCloseTo(0.81, 12);
});

test('a branch is the mean of its choices by their shares; what is left goes to otherwise or to nothing', () => {
  const branch = (otherwise?: Block): Block => ({
    ...{
      kind: 'branch',
      name: 'x',
      choices: [
        { when: 'p', block: a },
        { when: 'q', block: b },
      ],
    },
    ...(otherwise ? { otherwise } : {}),
  });
  const shares = rates({ choices: new Map([['x', [0.5, 0.3]]]) });
  expect(of(branch(c), rates()).reliability).toBeCloseTo((0.9 + 0.8 + 0.7) / 3, 12);
  expect(of(branch(), rates()).reliability).toBeCloseTo((0.9 + 0.8) / 2, 12);
  expect(of(branch(c), shares).reliability).toBeCloseTo(0.5 * 0.9 + 0.3 * 0.8 + 0.2 * 0.7, 12);
  expect(of(branch(), shares).reliability).toBeCloseTo(0.5 * 0.9 + 0.3 * 0.8 + 0.2, 12);
});

test('a wait for a time always continues, one for a person or an event in the given share', () => {
  const wait = (kind: 'approval' | 'event' | 'time'): Block => ({
    ...{ kind: 'wait', name: 'w', wait: kind, subject: 's', timeout_ms: 5, on_timeout: 'fail' },
  });
  const answered = rates({ answered: new Map([['w', 0.6]]) });
  const found = (['approval', 'event', 'time'] as const).map((kind) => of(wait(kind), answered).reliability);
  expect([...found, of(wait('event'), rates()).reliability]).toEqual([0.6, 0.6, 1, 1]);
});

test('a manual level is a line of its own', () => {
  const { reliability, by_person } = of(sequence(step('a', 1, { manual: 'do it' }), b), rates());
  expect(reliability).toBeCloseTo(0.72, 12);
  expect(by_person).toBeCloseTo(0.08, 12);
});
