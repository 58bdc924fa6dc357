import { expect, test } from 'vitest';
import { offsetText, TimeScale, ticksOf } from './time-scale.js';

test.each([
  [0, '0'],
  [0.4, '1 ms'],
  [250, '250 ms'],
  [1_500, '1.5 s'],
  [59_400, '59 s'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [97_200_000, '1 d 3 h'],
])('%d ms is %s', (ms, text) => expect(offsetText(ms)).toBe(text));

test.each([10, 999, 5_000, 61_000, 86_400_000, 40 * 86_400_000])(
  'a scale of %d ms has between 2 and 8 marks, the first at its begin',
  (length_ms) => {
    const ticks = ticksOf(new TimeScale(1_000, 1_000 + length_ms), 8);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(9);
    expect(ticks[0]).toEqual({ at_ms: 1_000, label: '0' });
  },
);

test('a scale of no length has one all the same, so that nothing is divided by zero', () => {
  const scale = new TimeScale(5, 5);
  expect([scale.share(5), scale.share(4), scale.share(99)]).toEqual([0, 0, 1]);
});
