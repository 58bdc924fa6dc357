import { expect, test } from 'vitest';
import { offsetInText, type PolicyError, placeErrors, placeFault } from './error-places.js';
import { scanJson } from './json-places.js';

const TEXT = `{
  "rules": [
    { "id": "a", "tools": "pay", "effect": "deny", "whn": "true" },
    {
      "id": "b",
      "tools": ["x", "y"],
      "when": "inputs.a == \\"é\\" &&\\n  nosuch > 1"
    }
  ]
}`;

const error = (more: Partial<PolicyError>): PolicyError => ({
  path: '',
  code: 'rule',
  rule: 'b',
  reason: 'wrong',
  position: null,
  ...more,
});
const placed = (more: Partial<PolicyError>) => {
  const places = scanJson(TEXT).places ?? new Map();
  return placeErrors(TEXT, places, [error(more)]).map(({ from, to, line, column }) => [TEXT.slice(from, to), line, column])[0];
};

test('an error of a value stands at the value', () => {
  expect(placed({ path: '/rules/1/id' })).toEqual(['"b"', 5, 13]);
});

test('an error in a condition stands at its character, behind escapes that are longer than what they mean', () => {
  const condition = 'inputs.a == "é" &&\n  nosuch > 1';
  const offset = condition.indexOf('nosuch');
  expect(placed({ path: '/rules/1/when', position: { offset, line: 2, column: 3 } })).toEqual(['nosuch > 1"', 7, 40]);
});

test('a position beyond the end of a text stands at its end', () => {
  expect(placed({ path: '/rules/1/when', position: { offset: 9999, line: 1, column: 1 } })?.[0]).toBe('"');
});

test('an unknown field is marked by its name', () => {
  expect(placed({ path: '/rules/0/whn', code: 'unknown_field' })).toEqual(['"whn"', 3, 52]);
});

test('a selector is found as its author wrote it', () => {
  expect(placed({ path: '/rules/0/tools/names/0' })?.[0]).toBe('"pay"');
  expect(placed({ path: '/rules/1/tools/names/1' })?.[0]).toBe('"y"');
});

test('what is missing is marked at the beginning of what it is missing from', () => {
  expect(placed({ path: '/rules/1/effect' })).toEqual(['{', 4, 5]);
  expect(placed({ path: '/nothing/at/all' })).toEqual(['{', 1, 1]);
});

test('errors come in the order of the text', () => {
  const places = scanJson(TEXT).places ?? new Map();
  const found = placeErrors(TEXT, places, [error({ path: '/rules/1/id' }), error({ path: '/rules/0/id' })]);
  expect(found.map(({ line }) => line)).toEqual([3, 5]);
});

test('a fault of the text has its line and column', () => {
  const { fault } = scanJson('{\n  "a": }');
  expect(fault && placeFault('{\n  "a": }', fault)).toMatchObject({ line: 2, column: 8 });
});

test('escapes of all lengths are one character each', () => {
  const text = JSON.stringify('a"b\u0007\\c\ud83d\ude00d');
  expect(text[offsetInText(text, 0, 5)]).toBe('c');
  expect(text[offsetInText(text, 0, 8)]).toBe('d');
});
