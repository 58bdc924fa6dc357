import { expect, test } from 'vitest';
import type { InboxItem } from './approval.js';
import { batchObjection, chosen, needsReason, SELECTED_MAX, toggled } from './selection.js';

const item = (id: string, more: Partial<InboxItem> = {}) =>
  ({
    approval_id: id,
    status: 'pending',
    reversibility: 'reversible',
    call: { tool: 'pay' },
    terms: null,
    ...more,
  }) as unknown as InboxItem;

test('what cannot be undone is never decided together with others', () => {
  const irreversible = item('a', { reversibility: 'irreversible' });
  expect(batchObjection(irreversible)).toContain('cannot be undone');
  expect(toggled(new Set(), irreversible).size).toBe(0);
  expect(chosen([irreversible], new Set(['a']))).toEqual([]);
});

test('what has ended or is withheld is not selected', () => {
  expect(batchObjection(item('a', { status: 'granted' }))).toBeDefined();
  expect(batchObjection(item('a', { call: { tool: 'pay', withheld: ['secret'] } as never }))).toBeDefined();
});

test('a second time takes a request out again', () => {
  const once = toggled(new Set(), item('a'));
  expect([...once]).toEqual(['a']);
  expect(toggled(once, item('a')).size).toBe(0);
});

test('no more are selected than one request may decide', () => {
  const full = new Set(Array.from({ length: SELECTED_MAX }, (_, at) => String(at)));
  expect(toggled(full, item('one more')).size).toBe(SELECTED_MAX);
});

test('a selected request that is not listed any more is not decided', () => {
  expect(chosen([item('a')], new Set(['a', 'gone'])).map(({ approval_id }) => approval_id)).toEqual(['a']);
});

test('one request that needs a reason makes all need it', () => {
  const strict = item('b', { terms: { reason_required_on_deny: true } as never });
  expect([needsReason([item('a')]), needsReason([item('a'), strict])]).toEqual([false, true]);
});
