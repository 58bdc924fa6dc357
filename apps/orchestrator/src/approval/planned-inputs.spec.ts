import { canonicalText } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { SagaScope } from '../evaluation/saga-scope.js';
import { plannedInputs } from './planned-inputs.js';

test.each([
  ['the end of its message', `${'x'.repeat(399)}\u{1f600}`],
  ['a part of the message that was cut before', 'x\ud83d'],
])('an input that cannot be evaluated has a plan with a digest, although half of a character is at %s', async (_, message) => {
  const scope = { valueOf: async () => new EvaluationFault(message) } as unknown as SagaScope;
  const planned = await plannedInputs({ to: { from: '/inputs/to' } }, scope);
  expect(planned).toEqual({ inputs: {}, open_inputs: [{ input: 'to', why: expect.stringMatching(/^x+\ufffd$/) }] });
  expect(canonicalText(planned)).toContain('"to"');
});
