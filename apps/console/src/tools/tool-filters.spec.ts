import { expect, it } from 'vitest';
import { historyMoments } from './history-moments.js';
import { resolvedSecrets } from './secrets.js';
import { authState, filtered, filterQuery, filtersFrom } from './tool-filters.js';
import { summaryOf } from './tool-summary.js';

const tool = (name: string, more: object = {}) => ({
  ...summaryOf({ name, title: `The ${name}` }),
  category: 'files',
  trust: null,
  ...more,
});
const tools = [
  tool('read_file', { effect_class: 'read_internal', trust: 0.9 }),
  tool('write_file', { effect_class: 'commit_low', auth: ['crm'] }),
  tool('send_mail', { category: 'mail', effect_class: 'commit_high', auth: ['smtp'] }),
];
const names = (query: string, found?: string[], secrets: string[] = []) =>
  filtered(tools, filtersFrom(query), found, (name) => secrets.includes(name)).map(({ name }) => name);

it('filters come from the address and go back to it', () => {
  const query = '?q=a+b&category=mail&effect=commit_high&lifecycle=active&auth=missing&trust=0.5';
  expect(filterQuery(filtersFrom(query))).toBe(query);
  expect(filterQuery(filtersFrom('?tab=try&q='))).toBe('');
  expect(filtersFrom(`?q=${'x'.repeat(5_000)}`).q).toHaveLength(200);
});

it('tools are narrowed by every filter', () => {
  expect(names('?category=mail')).toEqual(['send_mail']);
  expect(names('?effect=commit_low')).toEqual(['write_file']);
  expect(names('?trust=0.8')).toEqual(['read_file']);
  expect(names('?trust=unknown')).toEqual(['write_file', 'send_mail']);
  expect(names('?auth=none')).toEqual(['read_file']);
  expect(names('?auth=missing', undefined, ['crm'])).toEqual(['send_mail']);
  expect(names('?auth=found', undefined, ['crm'])).toEqual(['write_file']);
});

it('a search shows first what the gateway found, then what contains the words', () => {
  expect(names('?q=file')).toEqual(['read_file', 'write_file']);
  expect(names('?q=file', ['send_mail', 'write_file'])).toEqual(['send_mail', 'write_file', 'read_file']);
});

it('the narrowest secret counts, and that of another person does not', () => {
  const secret = { name: 'crm', user_id: null, expired: false };
  const all = [
    { ...secret, scope: 'org' as const },
    { ...secret, scope: 'user' as const, user_id: 'bea' },
  ];
  expect(resolvedSecrets(all, 'ann').get('crm')?.scope).toBe('org');
  expect(resolvedSecrets(all, 'bea').get('crm')?.scope).toBe('user');
  expect(authState(['crm', 'smtp'], (name) => name === 'crm')).toBe('missing');
});

it('the moments of a history end now and go back at most 90 days', () => {
  const now_ms = Date.parse('2026-11-27T09:00:00Z');
  const moments = historyMoments(Date.parse('2020-01-01T00:00:00Z'), now_ms);
  expect(moments.at(-1)).toBe('2026-11-27T09:00:00.000Z');
  expect(moments).toHaveLength(12);
  expect(Date.parse(moments[0] as string)).toBeGreaterThan(now_ms - 90 * 86_400_000);
  expect(new Set(historyMoments(now_ms, now_ms)).size).toBe(12);
});
