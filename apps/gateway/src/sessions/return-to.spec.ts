import { expect, test } from 'vitest';
import { localPath } from './return-to.js';

test('a path of this gateway stays as it is', () => {
  for (const path of ['/', '/approvals/7?tab=facts#votes', '/cases?q=%C3%BC']) expect(localPath(path)).toBe(path);
  expect(localPath('/a/../b')).toBe('/b');
});

test('anything that a browser would read as another address is refused', () => {
  const others = [
    '',
    'x',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
  ];
  for (const text of [...others, '/.//evil.example', '/x/..//evil.example', 'javascript:alert(1)', ' /x', `/${'a'.repeat(1_000)}`])
    expect([text, localPath(text)]).toEqual([text, undefined]);
});
