import { expect, test } from 'vitest';
import type { Problem } from '../gateway/answer.js';
import { placedErrors } from './placed-errors.js';

const problem = (...paths: string[]) =>
  ({
    title: 'Invalid',
    status: 400,
    validation: { layer: 'request', issues: paths.map((path) => ({ path, message: `at ${path}` })) },
  }) as Problem;

test('an issue stands at its field, or at the closest field above it', () => {
  const { at, rest } = placedErrors(problem('/name', '/principal/roles/0', '/sign_in/name'), [
    '/name',
    '/principal/roles',
    '/sign_in/name',
  ]);
  expect(at).toEqual({ '/name': 'At /name', '/principal/roles': 'At /principal/roles/0', '/sign_in/name': 'At /sign_in/name' });
  expect(rest).toBeUndefined();
});

test('what belongs to no field stays a problem, with these issues only', () => {
  const { at, rest } = placedErrors(problem('/name', '/other', '/name_of'), ['/name']);
  expect(at).toEqual({ '/name': 'At /name' });
  expect(rest?.validation?.issues.map(({ path }) => path)).toEqual(['/other', '/name_of']);
});

test('a problem without issues stays as it is; the first issue of a field counts', () => {
  const plain = { title: 'Forbidden', status: 403 } as Problem;
  expect(placedErrors(plain, ['/name'])).toEqual({ at: {}, rest: plain });
  expect(placedErrors(problem('/name', '/name/0'), ['/name']).at).toEqual({ '/name': 'At /name' });
  expect(placedErrors(undefined, ['/name'])).toEqual({ at: {}, rest: undefined });
});
