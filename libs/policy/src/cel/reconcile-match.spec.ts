import { expect, test } from 'vitest';
import { compileReconcileMatch, type ReconcileEnvironment } from './reconcile-match.js';

const string = { type: 'string' };
const known: ReconcileEnvironment = {
  inputs_schema: { type: 'object', properties: { name: string, note: string }, additionalProperties: false },
  output_schema: {
    type: 'object',
    properties: { entities: { type: 'array', items: { type: 'object', properties: { name: string, key: string } } } },
  },
  discriminating: ['name'],
  carries_key: false,
};
const faultOf = (text: string, more: Partial<ReconcileEnvironment> = {}) => {
  const compiled = compileReconcileMatch(text, { ...known, ...more });
  return 'fault' in compiled ? compiled.fault.reason : 'none';
};
const judge = (text: string, output: unknown, more: Partial<ReconcileEnvironment> = {}) => {
  const compiled = compileReconcileMatch(text, { ...known, ...more });
  if ('fault' in compiled) throw new Error(compiled.fault.reason);
  return compiled.match.judge({ inputs: { name: 'Anna' }, attempt_key: 'k1', output, inputs_chars: JSON.stringify(output).length });
};

test('a match finds the effect by an input that identifies it, or by the key of the attempt', () => {
  const by_name = 'output.entities.exists(e, e.name == inputs.name)';
  expect(judge(by_name, { entities: [{ name: 'Bea' }, { name: 'Anna' }] })).toBe(true);
  expect(judge(by_name, { entities: [{ name: 'Bea' }] })).toBe(false);
  const by_key = 'output.entities.exists(e, e.key == attempt_key)';
  expect(judge(by_key, { entities: [{ key: 'k1' }] }, { carries_key: true })).toBe(true);
});

test('an answer in another shape is an error and never a match', () => {
  expect(judge('output.entities.exists(e, e.name == inputs.name)', { other: 1 })).toEqual({ error: expect.any(String) });
});

test.each([
  ['true', /reads `output`/],
  ['output.entities.size() > 0', /reads an input that identifies/],
  ["output.entities.exists(e, e.name == 'Anna')", /reads an input that identifies/],
  ['output.entities.exists(e, e.name == inputs.note)', /reads an input that identifies/],
  ['output.entities.exists(e, e.key == attempt_key)', /does not carry the key/],
  ['output.entities.exists(e, e.name == inputs.other)', /other/],
  ['output.entities.size()', /is a bool/],
  ['output.entities[', /./],
])('the match %s is refused when it is set', (text, reason) => expect(faultOf(text)).toMatch(reason));

test('a match over a long answer ends after a bounded number of turns', () => {
  const many = { entities: Array.from({ length: 30_000 }, (_, at) => ({ name: `n${at}` })) };
  const text = 'output.entities.exists(e, output.entities.exists(f, f.name == e.name && e.name == inputs.name))';
  const from_ms = performance.now();
  expect(judge(text, many)).toEqual({ error: expect.any(String) });
  expect(performance.now() - from_ms).toBeLessThan(2_000);
});
