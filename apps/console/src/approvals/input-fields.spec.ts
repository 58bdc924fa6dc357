import { expect, test } from 'vitest';
import { fieldsOf, parsedInputs, withInput } from './input-fields.js';

const schema = {
  type: 'object',
  required: ['to', 'amount'],
  properties: {
    to: { type: 'string', description: 'Who is paid' },
    amount: { type: 'number' },
    currency: { enum: ['EUR', 'USD'] },
    urgent: { type: 'boolean' },
    lines: { type: 'array' },
  },
};
const kinds = (inputs: unknown, of: unknown = schema) => fieldsOf(of, inputs)?.map(({ name, kind }) => `${name}:${kind}`);

test('each input has the control that its schema names', () => {
  expect(kinds({ to: 'Acme', amount: 5 })).toEqual(['to:text', 'amount:number', 'currency:choice', 'urgent:boolean', 'lines:json']);
});

test('a value that does not fit its schema is edited as JSON', () => {
  expect(kinds({ to: 7, amount: 'five', currency: 3, urgent: 'no' })).toEqual([
    'to:json',
    'amount:json',
    'currency:json',
    'urgent:json',
    'lines:json',
  ]);
});

test('a text of a megabyte gets no field', () => {
  expect(kinds({ to: 'x'.repeat(1_000_000) })?.[0]).toBe('to:json');
});

test('ten thousand inputs, or none, have no form', () => {
  expect(kinds(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key_${at}`, at])))).toBeUndefined();
  expect(kinds({}, { properties: {} })).toBeUndefined();
  expect(kinds([], schema)).toBeUndefined();
  expect(fieldsOf(undefined, { a: 1 })).toBeUndefined();
});

test('an input named as a member of all objects is an input like any other', () => {
  const inputs = JSON.parse('{"__proto__": "x", "constructor": 1}') as Record<string, unknown>;
  expect(kinds(inputs, { properties: { a: { type: 'string' } } })).toEqual(['a:text', '__proto__:json', 'constructor:json']);
  expect(JSON.stringify(withInput(inputs, '__proto__', 'y'))).toBe('{"__proto__":"y","constructor":1}');
});

test('a changed input keeps its place; an emptied one is left out', () => {
  expect(JSON.stringify(withInput({ a: 1, b: 2 }, 'a', 3))).toBe('{"a":3,"b":2}');
  expect(withInput({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(withInput({ a: 1 }, 'c', 0)).toEqual({ a: 1, c: 0 });
});

test('only an object of JSON is inputs', () => {
  expect(parsedInputs('{"a":1}')).toEqual({ inputs: { a: 1 } });
  for (const text of ['[1]', 'null', '3', '{', '']) expect(parsedInputs(text)).toHaveProperty('fault');
});
