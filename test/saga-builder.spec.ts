import { saga } from '@countersign/client';
import {
  branch,
  expression,
  first_success,
  from,
  literal,
  map,
  parallel,
  quorum,
  sequence,
  step,
  waitFor,
  waitForApproval,
  waitForEvent,
} from '@countersign/client/saga-blocks';
import { sagaDefinition } from '@countersign/definitions';
import { Seeded } from '@countersign/domain/testing/lanes/seeded';
import { RandomDefinition } from '@countersign/domain/testing/sagas/random-definition';
import { expect, test } from 'vitest';

const use = { tool: 'book', version: '^1.0.0', inputs: { id: literal('x') } };

test('the gateway takes what the builder of the client emits, of every kind of block, and changes nothing of it', () => {
  const built = saga('trip', '1.2.3-rc.1', { deadline_ms: 60_000, input_schema: { type: 'object' } })
    .step('a', { ...use, inputs: { id: from('/inputs/id') } })
    .step('b', { ...use, inputs: { id: from('/steps/a/output/id') } }, { asks: true, manual: 'book it', fallbacks: [use], repair: true })
    .step('c', use, { when: 'steps.a.output.id == "x"', compensation: { ...use, inputs: { id: from('/steps/c/output/id') } } })
    .block(branch('choice', [{ when: 'inputs.x', block: step('d', use) }], sequence(step('e', use), waitFor('pause', 5))))
    .block(parallel(first_success, step('f', use), step('g', use)))
    .block(map('each', expression('inputs.ids'), step('h', use), { concurrency: 3, join: quorum(2) }))
    .block(sequence(waitForApproval('ask', 'May it?', { timeout_ms: 5 }), waitForEvent('paid', 'payment', { timeout_ms: 5 })))
    .build();
  expect(sagaDefinition.parse(built)).toEqual(built);
});

test('the gateway takes every definition that the simulation of sagas draws', () => {
  for (let seed = 0; seed < 200; seed++) {
    const { definition } = new RandomDefinition(new Seeded(seed));
    expect(sagaDefinition.parse(definition)).toEqual(definition);
  }
});

test('it refuses a field that the builder does not know', () => {
  expect(sagaDefinition.safeParse({ ...saga('trip', '1.0.0').step('a', use).build(), retries: 3 }).success).toBe(false);
});
