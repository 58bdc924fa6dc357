import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from '../../testing/sagas/trip.js';
import { levelConfidence } from './level-confidence.js';

const use = (accuracy?: number) => ({ tool: 't', version: '1.0.0', inputs: {}, ...(accuracy === undefined ? {} : { accuracy }) });
const levels = (first: number | undefined, ...others: (number | undefined)[]) =>
  step('a', 't', { use: use(first), fallbacks: others.map(use) });

test('without a report it is the declared accuracy; an undeclared fallback is nine tenths of the level before', () => {
  expect([0, 1, 2].map((level) => levelConfidence(levels(0.95, 0.8, undefined), level, null))).toEqual([0.95, 0.8, 0.72]);
  expect([0, 1, 2].map((level) => levelConfidence(levels(undefined, undefined, undefined), level, null))).toEqual([null, 0.9, 0.81]);
});

test('a reported confidence is lowered as much as the level is less accurate than the first', () => {
  expect(levelConfidence(levels(0.8, 0.6), 0, 0.9)).toBe(0.9);
  expect(levelConfidence(levels(0.8, 0.6), 1, 0.9)).toBe(0.675);
  expect(levelConfidence(levels(undefined, undefined), 1, 0.5)).toBe(0.45);
});

test("a person's answer has none of a tool", () => {
  expect(levelConfidence(levels(0.8), 1, null)).toBeNull();
});

test('degradation never raises a reported confidence, and it stays within 0 and 1', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.option(share), fc.array(fc.option(share), { maxLength: 4 }), share, (first, others, reported) => {
      const definition = levels(first ?? undefined, ...others.map((each) => each ?? undefined));
      for (let level = 0; level <= others.length; level++) {
        const confidence = levelConfidence(definition, level, reported) as number;
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(reported + 0.000_05);
      }
    }),
  );
});
