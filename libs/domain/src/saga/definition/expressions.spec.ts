import { expect, test } from 'vitest';
import { sequence, step, tripOf } from '../../testing/sagas/trip.js';
import type { Block } from './definition.js';
import { sagaExpressionsOf } from './expressions.js';

const found = (root: Block) =>
  sagaExpressionsOf(tripOf(root)).map(
    ({ pointer, before, in_map }) => `${pointer} after ${before.map(({ name }) => name).join(' ')}${in_map ? ' in a map' : ''}`,
  );

test('a text may read the steps before it, also those of a branch or of a join, but none beside it or in a map', () => {
  const map: Block = {
    ...{ kind: 'map', name: 'm', over: { expression: 'x' }, concurrency: 1, join: { kind: 'all' } },
    body: sequence(step('inner'), step('next', 'book', { when: 'x' })),
  };
  const beside: Block = { kind: 'parallel', join: { kind: 'first_success' }, branches: [step('b', 'book', { when: 'x' }), step('c')] };
  const branch: Block = { kind: 'branch', name: 'choice', choices: [{ when: 'x', block: step('d') }] };
  expect(found(sequence(step('a'), beside, branch, map, step('z', 'book', { when: 'x' })))).toEqual([
    '/root/blocks/1/branches/0/when after a',
    '/root/blocks/2/choices/0/when after a b c',
    '/root/blocks/3/over/expression after a b c d',
    '/root/blocks/3/body/blocks/1/when after a b c d inner in a map',
    '/root/blocks/4/when after a b c d',
  ]);
});

test('a compensation may read its own step', () => {
  const compensation = { tool: 'book', version: '1.0.0', inputs: { 'a/b~c': { expression: 'x' } } };
  expect(found(step('a', 'book', { compensation }))).toEqual(['/root/compensation/inputs/a~1b~0c/expression after a']);
});
