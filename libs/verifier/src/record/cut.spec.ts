import { expect, test } from 'vitest';
import { type Cut, readCut, strangeCut } from './cut.js';

const closed = (number: number): Cut => ({ number, state: 'closed' });
const open = (number: number): Cut => ({ number, state: 'open' });

test('the first cut is 1; a closed one is followed by the next; an open one by the same', () => {
  expect([strangeCut(undefined, undefined), strangeCut(undefined, closed(1)), strangeCut(undefined, open(1))]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([strangeCut(closed(4), closed(5)), strangeCut(closed(4), open(5))]).toEqual([undefined, undefined]);
  expect([strangeCut(open(4), open(4)), strangeCut(open(4), closed(4))]).toEqual([undefined, undefined]);
});

test('a cut that is left out, repeated or missing is refused', () => {
  expect(strangeCut(closed(4), closed(6))).toBe('has cut 6 in the place of cut 5');
  expect(strangeCut(closed(4), open(4))).toBe('has cut 4 in the place of cut 5');
  expect(strangeCut(undefined, closed(2))).toBe('has cut 2 in the place of cut 1');
  expect(strangeCut(closed(4), undefined)).toBe('has no cut, and the entry before has one');
});

test('only a number from 1 on and a known state are a cut', () => {
  expect(readCut({ number: 1, state: 'open' })).toEqual(open(1));
  for (const odd of [null, 'open', {}, { number: 0, state: 'open' }, { number: 1.5, state: 'open' }, { number: 1, state: 'o' }])
    expect(() => readCut(odd)).toThrow();
  expect(() => readCut({ number: 1, state: 'open', more: 1 })).toThrow('not a cut');
});
