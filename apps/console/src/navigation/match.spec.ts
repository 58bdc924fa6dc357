import { expect, test } from 'vitest';
import { placeOf } from './location.js';
import { matchPath, pathTo, withQuery } from './match.js';

test.each([
  ['/', '/', {}],
  ['/calls/:id', '/calls/3-abc', { id: '3-abc' }],
  ['/calls/:id', '/calls/ext%3APO%2F1', { id: 'ext:PO/1' }],
  ['/calls/:id', '/calls', undefined],
  ['/calls/:id', '/calls/', undefined],
  ['/calls/:id', '/calls/1/events', undefined],
  ['/calls/:id', '/cases/1', undefined],
  ['/calls/:id', '/calls/%zz', undefined],
])('the pattern %s and the path %s give %j', (pattern, path, parameters) => {
  expect(matchPath(pattern, path)).toEqual(parameters);
});

test('a path parameter is one segment, whatever it contains, and is read back as it was', () => {
  const path = pathTo('/cases/:id', { id: 'ext:a/../b?c#d' });
  expect(path).toBe('/cases/ext%3Aa%2F..%2Fb%3Fc%23d');
  expect(matchPath('/cases/:id', path)).toEqual({ id: 'ext:a/../b?c#d' });
});

test('a change of the query keeps the other names; an empty value removes its name', () => {
  expect(withQuery('?status=pending&q=a', { q: 'b c' })).toBe('?status=pending&q=b+c');
  expect(withQuery('?status=pending', { status: '' })).toBe('');
  expect(withQuery('', { status: undefined, tab: 'json' })).toBe('?tab=json');
});

test('a slash at the end of a path names the same place', () => {
  expect(placeOf({ pathname: '/calls/', search: '?q=1' })).toEqual({ path: '/calls', query: '?q=1' });
  expect(placeOf({ pathname: '/', search: '' })).toEqual({ path: '/', query: '' });
});
