import { expect, test } from 'vitest';
import type { Problem } from '../gateway/answer.js';
import { withClassificationRace } from './classification-race.js';

const problem = (status: number, ...paths: string[]): Problem => ({
  type: 'about:blank',
  title: 'The resource has changed',
  status,
  code: 'VALIDATION_ERROR',
  validation: { layer: 'request', issues: paths.map((path) => ({ path, code: 'changed', message: 'changed' })) },
});

test('a lost race names the tools that changed and what to do', () => {
  const shown = withClassificationRace(problem(412, '/tools/1/etag'), ['add', 'find']);
  expect(shown).toMatchObject({ detail: expect.stringMatching(/: find$/), advice: expect.stringContaining('the others is kept') });
  expect(shown).not.toHaveProperty('validation');
  expect(withClassificationRace(problem(412), ['add'])).toMatchObject({
    detail: expect.stringMatching(/: add$/),
    advice: expect.stringMatching(/^Close this/),
  });
});

test('of many tools five are named', () => {
  const tools = Array.from({ length: 8 }, (_, at) => `t${at}`);
  const paths = tools.map((_, at) => `/tools/${at}/etag`);
  expect(withClassificationRace(problem(412, ...paths), tools)?.detail).toMatch(/: t0, t1, t2, t3, t4 and 3 more$/);
});

test('another refusal stays as it is', () => {
  const other = problem(400, '/tools/0/digest');
  expect(withClassificationRace(other, ['add'])).toBe(other);
});
