import { describe, expect, test } from 'vitest';
import { compileSagaCondition, type SagaConditionEnvironment, type SagaConditionSubject } from './saga-condition.js';

const order = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'], additionalProperties: false };
const known: SagaConditionEnvironment = { inputs_schema: order, steps: new Map([['look', order]]), in_map: false };
const faultOf = (text: string, environment = known) => {
  const compiled = compileSagaCondition(text, environment);
  return 'fault' in compiled ? compiled.fault.reason : undefined;
};

describe('a condition of a saga', () => {
  test('reads the inputs, the outputs of steps before it and, inside a map, the item', () => {
    expect(faultOf('inputs.total > 5.0 && steps.look.output.total < 3.0')).toBeUndefined();
    expect(faultOf('item.total > index', { ...known, in_map: true })).toBeUndefined();
  });

  test.each([
    ['inputs.total >', 'end of input'],
    ['principal.id == "x"', 'there is no variable principal'],
    ['item > 1', 'there is no variable item'],
    ['inputs.sum > 1.0', 'inputs has no field sum'],
    ['steps.later.output.total > 1.0', 'steps has no field later'],
    ['steps.look.output.sum > 1.0', 'steps.look.output has no field sum'],
    ['steps.look.status == "x"', 'steps.look has no field status'],
    ['inputs.total', 'a condition is a bool, and this is double'],
    ['', 'input'],
  ])('%s is a fault', (text, reason) => {
    expect(faultOf(text)?.toLowerCase()).toContain(reason.toLowerCase());
  });

  test('is judged on what ran; a step that did not run is an error, never true', () => {
    const compiled = compileSagaCondition('steps.look.output.total > inputs.total', known);
    if ('fault' in compiled) throw new Error(compiled.fault.reason);
    const on = (steps: SagaConditionSubject['steps']) => compiled.condition.judge({ inputs: { total: 1 }, steps, inputs_chars: 10 });
    expect([on({ look: { output: { total: 2 } } }), on({ look: { output: { total: 1 } } })]).toEqual([true, false]);
    expect(on({})).toMatchObject({ error: expect.any(String) });
  });
});
