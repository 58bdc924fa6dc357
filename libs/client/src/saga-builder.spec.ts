import { expect, expectTypeOf, test } from 'vitest';
import {
  all,
  branch,
  expression,
  from,
  literal,
  map,
  parallel,
  quorum,
  type SagaPointer,
  sequence,
  step,
  waitForApproval,
} from './saga-blocks.js';
import { type SagaBuilder, saga } from './saga-builder.js';

const use = { tool: 'book', version: '^1.0.0', inputs: {} };

test('steps run one after another, and a saga of one block is that block', () => {
  const begun = saga('trip', '1.0.0', { deadline_ms: 1000, wait_max_ms: 5 });
  const head = { name: 'trip', version: '1.0.0', deadline_ms: 1000, wait_max_ms: 5 };
  expect(begun.step('a', use).build()).toEqual({ ...head, root: { kind: 'step', name: 'a', use } });
  const two = begun.step('a', use).step('b', { ...use, inputs: { id: from('/steps/a/output/id') } }, { asks: true });
  expect(two.build().root).toMatchObject({ kind: 'sequence', blocks: [{ name: 'a' }, { name: 'b', asks: true }] });
});

test('a builder is not changed by what follows', () => {
  const one = saga('trip', '1.0.0').step('a', use);
  one.step('b', use);
  expect(one.build().root).toMatchObject({ kind: 'step', name: 'a' });
});

test('blocks hold what they are given, and say their defaults', () => {
  expect(parallel(quorum(1), step('a', use), step('b', use))).toMatchObject({ kind: 'parallel', join: { kind: 'quorum', count: 1 } });
  expect(map('each', expression('inputs.ids'), step('a', use))).toMatchObject({
    over: { expression: 'inputs.ids' },
    concurrency: 1,
    join: all,
  });
  expect(branch('choice', [{ when: 'inputs.x', block: step('a', use) }])).not.toHaveProperty('otherwise');
  expect(sequence(waitForApproval('ask', 'May it?', { timeout_ms: 5 })).blocks[0]).toMatchObject({ wait: 'approval', on_timeout: 'fail' });
  expect(literal(null)).toEqual({ literal: null });
});

test('a step reads only steps that surely ran before it, and its compensation the step itself', () => {
  const begun = saga('trip', '1.0.0').step('a', use).step('maybe', use, { when: 'inputs.x' });
  expectTypeOf(begun).toEqualTypeOf<SagaBuilder<'a'>>();
  expectTypeOf(begun.block<'inner'>(step('inner', use))).toEqualTypeOf<SagaBuilder<'a' | 'inner'>>();
  expectTypeOf<'/steps/a/output/id'>().toExtend<SagaPointer<'a'>>();
  expectTypeOf<'/inputs/id'>().toExtend<SagaPointer<never>>();
  expectTypeOf<'/steps/maybe/output/id'>().not.toExtend<SagaPointer<'a'>>();
  expectTypeOf<'/steps/a/output/id'>().not.toExtend<SagaPointer<never>>();
  expectTypeOf<'/outputs/id'>().not.toExtend<SagaPointer>();
  const undo = { ...use, inputs: { id: from('/steps/b/output/id') } };
  expect(begun.step('b', use, { compensation: undo }).build().root).toMatchObject({ blocks: [{}, {}, { compensation: undo }] });
});
