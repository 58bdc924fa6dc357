import { expect, test } from 'vitest';
import { ApiDocument } from './api-document.js';

test('the document is made when it is first read, and once', () => {
  let made = 0;
  const document = new ApiDocument();
  document.describe(() => ({ made: ++made }));
  expect(made).toBe(0);
  expect([document.text, document.text]).toEqual(['{"made":1}', '{"made":1}']);
});

test('what fails to be made fails its reader, and is made again for the next', () => {
  let fails = true;
  const document = new ApiDocument();
  document.describe(() => {
    if (fails) throw new Error('a schema cannot be written');
    return {};
  });
  expect(() => document.text).toThrow('a schema cannot be written');
  fails = false;
  expect(document.text).toBe('{}');
});
