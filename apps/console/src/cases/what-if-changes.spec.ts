import { expect, test } from 'vitest';
import { changesOf, changeWords, differenceWords, resultWords } from './what-if-changes.js';

test('an address contains the changes, so that a question can be shared', () => {
  expect(changesOf('[{"kind":"left_out","call_id":"1-a"}]')).toEqual([{ kind: 'left_out', call_id: '1-a' }]);
});

test.each(['', '{', '{}', 'null', '[null,1,{"kind":"constructor"}]'])('%j has no changes', (text) => expect(changesOf(text)).toEqual([]));

test('more changes than the API takes are cut', () => {
  const many = JSON.stringify(Array.from({ length: 99 }, () => ({ kind: 'left_out', call_id: 'a' })));
  expect(changesOf(many)).toHaveLength(50);
});

test('a change is said in words', () => {
  const titleOf = (id: string) => `the call of ${id}`;
  expect(changeWords({ kind: 'approval', approval_id: 'a1', vote: 'deny', voter: 'ann', at: '2026-11-27T09:00:00Z' }, titleOf)).toBe(
    'Denial by ann at 2026-11-27T09:00:00Z: the call of a1',
  );
  expect(changeWords({ kind: 'policy', version: null }, titleOf)).toBe('only the built-in rules');
  expect(changeWords({ kind: 'limit', limit_id: 'l', max: 3 }, titleOf)).toBe('limit l at 3');
});

test('words of a newer gateway are shown as they are', () => {
  expect([differenceWords('some_thing'), differenceWords('constructor'), resultWords('toString')]).toEqual([
    'some thing',
    'constructor',
    undefined,
  ]);
});
