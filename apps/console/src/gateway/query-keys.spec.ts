import { expect, test } from 'vitest';
import { isChanged } from './query-keys.js';

test.each([
  ['the item', ['call', 'c1'], undefined, { kind: 'call', id: 'c1' }, true],
  ['another item', ['call', 'c2'], undefined, { kind: 'call', id: 'c1' }, false],
  ['a list of its kind, whatever its filter', ['call', 'list', { status: 'failed' }], undefined, { kind: 'call', id: 'c1' }, true],
  ['a list of another kind', ['case', 'list'], undefined, { kind: 'call', id: 'c1' }, false],
  ['a case that shows calls', ['case', 'k1', 'history'], ['call'], { kind: 'call', id: 'c1' }, true],
  ['every item, if the change names none', ['call', 'c2'], undefined, { kind: 'call' }, true],
  ['a tool whose version changed', ['tool', 'refund_payment'], undefined, { kind: 'tool', id: 'refund_payment@1.2.0' }, true],
  ['a tool whose name begins alike', ['tool', 'refund'], undefined, { kind: 'tool', id: 'refund_payment@1.2.0' }, false],
] as const)('a change reaches %s or not: %j, also %j, changed %j', (_, key, also, change, is_changed) => {
  expect(isChanged(key, also, change)).toBe(is_changed);
});
