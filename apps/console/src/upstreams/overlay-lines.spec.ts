import { expect, test } from 'vitest';
import { bindingsFrom, bindingsText, resourcesFrom, resourcesText } from './overlay-lines.js';

test('bindings are lines and come back as they were: pointers, our key, and literals of every kind', () => {
  const bindings = {
    name: { from: '/inputs/name' },
    key: { from: '/attempt_key' },
    folder: { literal: '/etc' },
    limit: { literal: 5 },
    query: { literal: { a: ['b = c'] } },
  };
  expect(bindingsFrom(bindingsText(bindings))).toEqual(bindings);
});

test('a literal may be written without quotes; an empty line is nothing; a line without a value has an empty text', () => {
  expect(bindingsFrom('mode = fast\n\n  q = "1"\nbare')).toEqual({ mode: { literal: 'fast' }, q: { literal: '1' }, bare: { literal: '' } });
});

test('resources are lines and come back as they were, also where the effect depends on an input', () => {
  const by = { by: '/mode', values: { add: 'adds' as const }, otherwise: 'replaces' as const };
  const resources = [
    { name: 'note:{/path}', effect: 'adds' as const },
    { name: 'file:{/path}', effect: by },
  ];
  expect(resourcesFrom(resourcesText(resources))).toEqual(resources);
});
