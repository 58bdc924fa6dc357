import { expect, test } from 'vitest';
import { summaryFaults } from './summary-faults.js';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    payment: { type: 'object', properties: { amount: { type: 'number' } } },
    items: { type: 'array' },
  },
};
const faults = (summary: unknown) => summaryFaults({ summary: summary as string }, schema);

test('a summary names inputs that exist, by value or by measure', () => {
  expect(faults(undefined)).toEqual([]);
  expect(faults('Write {/path} ({bytes of /path} bytes, {count of /items} items) for {/payment/amount}')).toEqual([]);
});

test.each([
  ['Write {/file}', 'the input has no /file'],
  ['Write {path}', '{path} is no placeholder'],
  ['Write {size of /path}', '{size of /path} is no placeholder'],
  ['Write {/path', 'a brace is unbalanced'],
  ['', '1 to 200 characters'],
  ['x'.repeat(201), '1 to 200 characters'],
  ['{/path}'.repeat(9), 'at most 8 placeholders'],
  ['<b>Write</b> {/path}', 'must be plain'],
  ['Write \u202e{/path}', 'must be plain'],
  [7, 'must be a text'],
])('%j is refused: %s', (summary, why) => {
  expect(faults(summary)).toEqual([expect.stringContaining(why)]);
});
