import { expect, test } from 'vitest';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import { INPUTS_BYTES_MAX, inputsText } from './step-inputs.js';

test('inputs are recorded as canonical JSON', () => {
  expect(inputsText('send', { b: 1, a: '\u{1f600}' })).toBe('{"a":"\u{1f600}","b":1}');
});

test.each([
  ['half of a surrogate pair', { text: 'a\ud83d' }, 'no valid JSON'],
  ['half of a surrogate pair in a name', { 'a\ud83d': 1 }, 'no valid JSON'],
  ['more bytes than the gateway reads', { text: '€'.repeat(INPUTS_BYTES_MAX / 2) }, `at most ${INPUTS_BYTES_MAX}`],
])('inputs with %s fail their step, which is named', (_, inputs, why) => {
  const fault = inputsText('ship[2]', inputs) as EvaluationFault;
  expect(fault).toBeInstanceOf(EvaluationFault);
  expect(fault.error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringMatching(`ship\\[2\\].*${why}`) });
});
