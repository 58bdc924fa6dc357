import { describe, expect, test } from 'vitest';
import { object, tripOf as of, sequence, step, text, tools } from '../../testing/sagas/trip.js';
import { checkDefinition } from './check.js';
import type { WaitBlock } from './definition.js';
import { sagaExpressionsOf } from './expressions.js';
import { sagaAnswersOf } from './questions.js';

const wait = (more: Partial<WaitBlock> = {}): WaitBlock => ({
  ...{ kind: 'wait', name: 'w', wait: 'event', subject: 'paid', timeout_ms: 1_000, on_timeout: 'fail' },
  ...more,
});
const messages = (one: WaitBlock, from: string) =>
  checkDefinition(of(sequence(one, step('z', 'look', {}, { from }))), tools).map(({ severity, message }) => `${severity} ${message}`);

describe('the answer of a wait', () => {
  const answer_schema = object({ id: text, count: { type: 'integer' } });

  test('is read by later steps like the output of a step, and its type is checked', () => {
    expect(messages(wait({ answer_schema }), '/steps/w/output/id')).toEqual([]);
    expect(messages(wait({ wait: 'approval', answer_schema }), '/steps/w/output/id')).toEqual([]);
    expect(messages(wait({ answer_schema }), '/steps/w/output/count')[0]).toMatch(/^fault .*does not fit/);
    expect(messages(wait({ answer_schema }), '/steps/w/output/other')[0]).toMatch(/^fault .*there is no field other/);
  });

  test('without a schema is checked only when it runs', () => {
    expect(messages(wait(), '/steps/w/output/id')).toEqual(['warning /steps/w/output/id: its type is checked only when it runs']);
  });

  test('of a wait that may go on without one, or waits for a moment, is read by no pointer', () => {
    expect(messages(wait({ on_timeout: 'continue' }), '/steps/w/output/id')[0]).toMatch(/^fault .*may go on without an answer/);
    expect(messages(wait({ wait: 'time' }), '/steps/w/output')[0]).toMatch(/^fault .*it has no output/);
  });

  test('is readable in expressions and conditions of later blocks', () => {
    const after = step('z', 'look', { when: 'steps.w.output.count > 1' }, { expression: 'steps.w.output.id' });
    const texts = sagaExpressionsOf(of(sequence(wait(), wait({ name: 'moment', wait: 'time' }), after)));
    expect(texts.map(({ before }) => before.map(({ name }) => name))).toEqual([['w'], ['w']]);
  });

  test('has a schema that can be used; a wait for a moment has none', () => {
    const faults = (one: WaitBlock) => checkDefinition(of(sequence(one)), tools).map(({ pointer }) => pointer);
    expect(faults(wait({ answer_schema: { type: 'object', $ref: 'https://elsewhere.example/schema' } }))).toContain(
      '/root/blocks/0/answer_schema',
    );
    expect(faults(wait({ wait: 'time', answer_schema }))).toEqual(['/root/blocks/0/answer_schema']);
    expect(sagaAnswersOf(of(sequence(wait({ answer_schema }), wait({ name: 'other' }))))).toEqual({ w: answer_schema });
  });
});
