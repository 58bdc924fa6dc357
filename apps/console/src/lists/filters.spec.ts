import { expect, test } from 'vitest';
import { apiQuery, chipsOf, type Filter, filtersOf } from './filters.js';

const filters: Filter[] = [
  { name: 'text', label: 'Text', kind: 'text', characters_min: 2 },
  {
    name: 'status',
    label: 'Status',
    kind: 'choices',
    options: [
      ['failed', 'Failed'],
      ['in_doubt', 'In doubt'],
    ],
  },
  { name: 'requested_after', label: 'From', kind: 'time' },
  { name: 'within', label: 'Requested', kind: 'within', sent_as: 'requested_after' },
  { name: 'tool', label: 'Tool', kind: 'text' },
];
const NOW_MS = Date.parse('2026-11-27T09:00:30Z');
const sent = (query: string) => apiQuery(filtersOf(query, filters), filters, NOW_MS);

test('the address of a list is the query of the API', () => {
  expect(sent('?status=failed,in_doubt&tool=write_file&text=a%20b')).toEqual({
    text: 'a b',
    status: 'failed,in_doubt',
    tool: 'write_file',
  });
  expect(sent('')).toEqual({});
});

test('values that a filter does not have are left out, and a broken link still shows a list', () => {
  expect(sent('?status=failed,gone,failed&within=9y&requested_after=yesterday&colour=red&tool=')).toEqual({ status: 'failed' });
  expect(sent('?status=%E0%A4%A')).toEqual({});
});

test('a text that is too short for the API is not sent, and an endless one is cut', () => {
  expect(sent('?text=a')).toEqual({});
  expect(sent(`?tool=${'x'.repeat(2_000)}`).tool).toHaveLength(500);
});

test('a relative time is sent as an exact one, cut to the minute', () => {
  expect(sent('?within=1h')).toEqual({ requested_after: '2026-11-27T08:00:00.000Z' });
});

test('an exact time takes precedence over a relative one', () => {
  expect(sent('?within=1h&requested_after=2026-11-01T00:00:00Z')).toEqual({ requested_after: '2026-11-01T00:00:00.000Z' });
});

test('each choice has a chip, which removes it alone', () => {
  const chips = chipsOf(filtersOf('?status=failed,in_doubt&within=24h', filters), filters);
  expect(chips.map(({ label, value, without }) => [label, value, without])).toEqual([
    ['Status', 'Failed', 'in_doubt'],
    ['Status', 'In doubt', 'failed'],
    ['Requested', 'last 24 hours', ''],
  ]);
});
