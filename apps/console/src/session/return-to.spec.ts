import { expect, test } from 'vitest';
import { linkToken, returnTo } from './return-to.js';

test.each([
  ['/approvals/7-abc?tab=json', '/approvals/7-abc?tab=json'],
  ['/', '/'],
  [null, '/'],
  ['', '/'],
  ['approvals', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['/a\\b', '/'],
  ['/a\nb', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?return_to=/', '/'],
  ['/v1/session/openid/x', '/'],
  ['/v1', '/'],
  ['/vault', '/vault'],
  [`/${'a'.repeat(3_000)}`, '/'],
])('after a sign-in, return_to %j leads to %j', (text, path) => {
  expect(returnTo(text)).toBe(path);
});

test('the token of a one-time link is taken from the fragment only if it looks like one', () => {
  expect(linkToken(`#link=${'a-B_9.'.repeat(8)}`)).toBe('a-B_9.'.repeat(8));
  for (const fragment of ['', '#', '#link=', '#link=short', `#link=${'<'.repeat(40)}`, `#other=${'a'.repeat(40)}`])
    expect(linkToken(fragment)).toBeUndefined();
});
