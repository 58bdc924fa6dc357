import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSpan } from './json-span.js';

const pathsOf = (value: unknown, path: string[] = []): string[][] =>
  value !== null && typeof value === 'object'
    ? [path, ...Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...path, name]))]
    : [path];
const at = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], value);

test('the span of any value, in any JSON text, parses to that value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const parsed = JSON.parse(text) as unknown;
      for (const path of pathsOf(parsed)) {
        const span = jsonSpan(text, path) as { start: number; end: number };
        expect(JSON.parse(text.slice(span.start, span.end))).toEqual(at(parsed, path));
      }
    }),
  );
});

test('a missing value gives no span, and the last of equal names counts', () => {
  expect(jsonSpan('{"a":[1]}', ['a', '1'])).toBeUndefined();
  expect(jsonSpan('{"a":1}', ['a', 'b'])).toBeUndefined();
  expect(jsonSpan('{"a":1,"a":22}', ['a'])).toEqual({ start: 11, end: 13 });
});
