import { expect, test } from 'vitest';
import { type CountedDecision, qualityBy, qualityOf } from './quality.js';

const decision = (more: Partial<CountedDecision> = {}): CountedDecision => ({
  approval_id: 'a',
  voter_id: 'ann',
  vote: 'approve',
  rule: 'r',
  requested_at_ms: 0,
  voted_at_ms: 100_000,
  viewed_at_ms: 40_000,
  ...more,
});
const many = (count: number, more: Partial<CountedDecision> = {}) => Array.from({ length: count }, () => decision(more));

test('it counts decisions, waiting times and reading times', () => {
  const row = qualityOf([decision(), decision({ vote: 'deny' }), decision({ viewed_at_ms: null }), decision({ vote: 'revoke' })], 60);
  expect(row).toMatchObject({ decisions: 3, approvals: 2, approved_unopened: 1, median_wait_ms: 100_000, median_attention_ms: 60_000 });
  expect(row).toMatchObject({ attention_ms: 120_000, cost: 2, rubber_stamp: false });
  expect(row.approval_rate).toBeCloseTo(2 / 3);
});

test('an opening after the vote counts as unread, and a page left open counts for an hour at most', () => {
  expect(qualityOf([decision({ viewed_at_ms: 100_001 })], null)).toMatchObject({ approved_unopened: 1, attention_ms: 0, cost: null });
  expect(qualityOf([decision({ voted_at_ms: 90_000_000 })], null).attention_ms).toBe(3_600_000);
});

test('a voter who approves everything unread or in seconds is a rubber stamp; one who reads, denies or decided little is not', () => {
  expect(qualityOf(many(10, { viewed_at_ms: null }), null).reasons).toEqual(['most approvals were given without opening the request']);
  expect(qualityOf(many(10, { viewed_at_ms: 99_000 }), null).reasons).toEqual(['decisions take seconds']);
  expect(qualityOf(many(10), null).rubber_stamp).toBe(false);
  expect(qualityOf(many(9, { viewed_at_ms: null }), null).rubber_stamp).toBe(false);
  expect(qualityOf([...many(9, { viewed_at_ms: null }), decision({ vote: 'deny' })], null).rubber_stamp).toBe(false);
});

test('approvers and rules are counted separately, the busiest first; no votes give no rows', () => {
  const rows = qualityBy([...many(1), ...many(2, { voter_id: 'bob' })], (one) => one.voter_id, null);
  expect(rows.map(({ name, decisions }) => [name, decisions])).toEqual([
    ['bob', 2],
    ['ann', 1],
  ]);
  expect(qualityOf([], 5)).toMatchObject({ decisions: 0, approval_rate: 0, median_wait_ms: null, cost: 0, cost_per_decision: null });
});
