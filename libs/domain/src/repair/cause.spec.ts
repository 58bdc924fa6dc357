import { expect, test } from 'vitest';
import { repairCauseOf } from './cause.js';

const contract = { output_schema: {} };
const of = (output: unknown, more: { inputs?: Record<string, unknown>; output_schema?: Record<string, unknown> } = {}) =>
  repairCauseOf({ output_schema: more.output_schema ?? {} }, { inputs: more.inputs ?? {}, status: 'succeeded', output, error: null })?.kind;

test('an answer is empty where its list is', () => {
  for (const output of [null, [], { items: [] }, { items: [], warnings: ['x'] }, { hits: [], total: 0 }, { items: [], next_cursor: null }])
    expect([output, of(output)]).toEqual([output, 'empty']);
  for (const output of [[1], { items: [1] }, {}, { total: 0 }, { a: [], b: [] }, { items: [], next_cursor: 'c' }, 0, '', false, undefined])
    expect([output, of(output)]).toEqual([output, undefined]);
});

test('the contract says which list counts', () => {
  const output_schema = { properties: { rows: { 'x-list': true }, notes: {}, constructor: {} } };
  expect(of({ rows: [], notes: ['x'], items: [1] }, { output_schema })).toBe('empty');
  expect(of({ rows: [1], notes: [] }, { output_schema })).toBeUndefined();
});

test('the last page of a list is no empty answer', () => {
  expect(of({ items: [] }, { inputs: { cursor: 'c' } })).toBeUndefined();
  expect(of({ items: [] }, { inputs: { cursor: null } })).toBe('empty');
});

test('a refusal of the inputs is a cause, one of the output or of anything else is not', () => {
  const failed = (details: unknown, code = 'VALIDATION_ERROR', status = 'failed') =>
    repairCauseOf(contract, {
      ...{ inputs: {}, status, output: null },
      error: { code: code as 'VALIDATION_ERROR', details_json: typeof details === 'string' ? details : JSON.stringify(details) },
    });
  expect(failed({ layer: 'executor', issues: [{ path: '/a', message: 'm' }] })).toMatchObject({
    kind: 'invalid',
    issues: [{ path: '/a' }],
  });
  for (const details of ['{', 'null', '[]', { issues: 'x' }, { issues: [null, 1, { path: 1 }] }])
    expect(failed(details)).toEqual({ kind: 'invalid', issues: [] });
  expect(failed({ issues: Array(500).fill({ path: '/a' }) })).toMatchObject({ issues: { length: 50 } });
  expect(failed({ layer: 'output' })).toBeUndefined();
  expect(failed({}, 'TIMEOUT')).toBeUndefined();
  expect(failed({}, 'VALIDATION_ERROR', 'in_doubt')).toBeUndefined();
});
