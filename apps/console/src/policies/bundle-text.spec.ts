import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bundleText, EXAMPLE_TEXT } from './bundle-text.js';

test('any JSON keeps its value', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(JSON.parse(bundleText({ ...value, rules: [] }))).toEqual(JSON.parse(JSON.stringify({ ...value, rules: [] })));
    }),
  );
});

test('fields stand in the order in which people read a rule, and short selectors as they are written', () => {
  const rule = { approval: { quorum: 1 }, effect: 'require_approval', id: 'a', tools: { names: ['pay'] }, when: 'true' };
  expect(bundleText({ rules: [rule, { id: 'b', effect: 'deny', tools: {} }] })).toBe(`{
  "rules": [
    {
      "id": "a",
      "tools": "pay",
      "when": "true",
      "effect": "require_approval",
      "approval": { "quorum": 1 }
    },
    {
      "id": "b",
      "effect": "deny"
    }
  ]
}
`);
});

test('a selector with other parts stays as it is', () => {
  const tools = { names: ['pay'], categories: ['finance'] };
  expect(JSON.parse(bundleText({ rules: [{ id: 'a', effect: 'deny', tools }] })).rules[0].tools).toEqual(tools);
});

test('the example is JSON', () => {
  expect(JSON.parse(EXAMPLE_TEXT).rules).toHaveLength(1);
});
