import { expect, test } from 'vitest';
import { holdsKey } from './row.js';
import { confirmed, notUndoable, undoFault } from './undoing.js';

test.each([
  ['succeeded', undefined],
  ['failed_with_effect', undefined],
  ['compensated', 'already_undone'],
  ['in_doubt', 'effect_unknown'],
  ['running', 'effect_unknown'],
  ['released', 'effect_has_not_happened'],
  [undefined, 'effect_has_not_happened'],
] as const)('an effect whose row says %s: %s', (state, fault) => {
  expect(undoFault(state)).toBe(fault);
});

test('the effect is verified after the undo: a removed effect confirms it, a present one fails it, an unknown one leaves it unconfirmed', () => {
  expect((['contradicted', 'verified', 'cannot_tell', undefined] as const).map(confirmed)).toEqual([
    'confirmed',
    'failed',
    'unconfirmed',
    'not_asked',
  ]);
});

test('a compensated attempt no longer holds its key', () => {
  expect([holdsKey('compensated'), holdsKey('succeeded')]).toEqual([false, true]);
});

test('a refusal has a reason and guarantees that nothing was done', () => {
  const { message, details_json, retryable } = notUndoable('effect_unknown');
  expect([message, details_json, retryable]).toEqual([expect.stringContaining('nothing was done'), '{"reason":"effect_unknown"}', false]);
});
