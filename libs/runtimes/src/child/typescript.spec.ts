import { expect, test } from 'vitest';
import { javascriptOf } from './typescript.js';

test('types are replaced by blanks, so that lines and columns stay', () => {
  const source = "import type { A } from './a.js';\nexport const size = (one: string): number => one.length;\n";
  const code = javascriptOf(source, '/a.ts');
  expect(code).not.toContain('import type');
  expect(code.split('\n')[1]?.indexOf('one.length')).toBe(source.split('\n')[1]?.indexOf('one.length'));
});

test('enums and parameter properties are compiled', () => {
  expect(javascriptOf('enum E { X = 1 }\nexport class P { constructor(readonly x: E) {} }', '/a.ts')).toMatch(/this\.x = x/);
});

test('text that is no TypeScript is refused with its line', () => {
  expect(() => javascriptOf('const a = 1;\nconst = ;', '/a.ts')).toThrow(/^\/a\.ts:2: /);
});
