import { expect, test } from 'vitest';
import { hrefOf, picked, pickedIn, textOf } from './picked.js';

const CALL = '0-01a21d1c-a13e-7001-b2e5-25630ee28787';
const EVENT = '01a21d1c-a13e-7001-b2e5-25630ee28787';

test.each([
  [CALL, { kind: 'call', id: CALL }],
  [`  ${CALL}\n`, { kind: 'call', id: CALL }],
  [EVENT, { kind: 'event', id: EVENT }],
  ['case_01a21d1c-a135-7000-9ae2-2eeb854bb05b', { kind: 'case', id: 'case_01a21d1c-a135-7000-9ae2-2eeb854bb05b' }],
  ['ext:PO-2024-118', { kind: 'case', id: 'ext:PO-2024-118' }],
  ['tool-executed/0/17', { kind: 'record', topic: 'tool-executed', partition: 0, offset: 17 }],
  ['tool-executed.lane/12/0', { kind: 'record', topic: 'tool-executed.lane', partition: 12, offset: 0 }],
] as const)('%j names what it looks like, and its address leads back to it', (text, what) => {
  const found = picked(text);
  expect(found).toEqual(what);
  if (!found) throw new Error('nothing is picked');
  expect(pickedIn(hrefOf(found).slice('/audit'.length))).toEqual(found);
  expect(picked(textOf(found))).toEqual(found);
});

test.each(['', '   ', 'x'.repeat(400)])('%j names nothing', (text) => {
  expect(picked(text)).toBeUndefined();
});

test('an address with no name, a broken position or an endless id picks nothing or a bounded id', () => {
  expect(pickedIn('?tab=events')).toBeUndefined();
  expect(pickedIn('?record=a/b/c')).toBeUndefined();
  expect(pickedIn(`?record=${encodeURIComponent('t/1/99999999999999999999')}`)).toBeUndefined();
  expect(pickedIn(`?call=${'x'.repeat(9_000)}`)).toEqual({ kind: 'call', id: 'x'.repeat(200) });
});
