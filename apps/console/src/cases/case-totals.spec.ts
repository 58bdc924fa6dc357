import { expect, test } from 'vitest';
import { totalsOf } from './case-totals.js';

test('calls are counted by status, and costs are summed where a call has one', () => {
  const totals = totalsOf([
    { status: 'failed', cost: null, principal: { kind: 'agent', id: 'a' } },
    { status: 'succeeded', cost: 0.25, principal: { kind: 'agent', id: 'b' }, purpose: 'later' },
    { status: 'succeeded', cost: 0.5, principal: { kind: 'agent', id: 'a' }, purpose: 'first' },
  ]);
  expect(totals).toEqual({
    calls: 3,
    statuses: [
      ['succeeded', 2],
      ['failed', 1],
    ],
    cost: 0.75,
    callers: ['a', 'b'],
    purpose: 'first',
  });
});

test('a case without costs has none, not zero', () => expect(totalsOf([{ status: 'running' }]).cost).toBeNull());
