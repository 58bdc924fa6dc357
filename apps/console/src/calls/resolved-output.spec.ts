import { expect, test } from 'vitest';
import { outputOf } from './resolved-output.js';
import { progressOf } from './use-progress.js';

test('an output is JSON, or none', () => {
  expect([outputOf(' '), outputOf('{"ok":true}'), outputOf('null')]).toEqual([{}, { value: { ok: true } }, { value: null }]);
});

test('what is no JSON is named before it is sent', () => {
  expect(outputOf('{ok}')).toEqual({ error: expect.stringContaining('not JSON') });
});

test('a progress that a tool makes up is shown as text only', () => {
  expect(progressOf('{"fraction":0.5,"message":"half"}')).toEqual({ fraction: 0.5, message: 'half' });
  expect(progressOf('{"fraction":"9e99","message":{"x":1}}')).toEqual({ fraction: null, message: '' });
  expect([progressOf('null'), progressOf('{')]).toEqual([{ fraction: null, message: '' }, undefined]);
});
