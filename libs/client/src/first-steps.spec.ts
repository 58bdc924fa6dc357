import { expect, test } from 'vitest';
import { emptinessOf, firstSteps } from './first-steps.js';

const url = 'http://127.0.0.1:7070';
const texts = (at: Parameters<typeof firstSteps>[0]) => firstSteps(at).map(({ text }) => text);

test('a key is filled in; without one the snippets read it from the environment', () => {
  for (const text of texts({ url, key: 'csk_abc-DEF' })) expect(text).toContain('csk_abc-DEF');
  for (const text of texts({ url })) expect(text).toContain('COUNTERSIGN_KEY');
});

test.each(["x'; rm -rf /", '$(id)', 'a"b', 'a\nb', ''])('a key that would need quoting is not filled in: %j', (key) => {
  expect(texts({ url, key })).toEqual(texts({ url }));
});

test.each(["http://a'b", 'javascript:alert(1)', 'http://a/$(id)', 'http://a b', 'http://a?x=`id`'])('the address %j is refused', (bad) => {
  expect(() => firstSteps({ url: bad })).toThrow(TypeError);
});

test('an installation is empty without calls and without an active policy', () => {
  expect(emptinessOf({ items: [] }, { version: null })).toEqual({ calls: true, rules: true });
  expect(emptinessOf({ items: [{}] }, { version: '1' })).toEqual({ calls: false, rules: false });
});
