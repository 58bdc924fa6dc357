import { describe, expect, test } from 'vitest';
import { recordOf, recordText } from './draft-record.js';
import { exactDuration, millisecondsOf } from './exact-duration.js';
import { type Limit, limitSentence } from './limit-words.js';
import { effectWords, valueWords } from './rule-words.js';
import { type CallDifference, differenceGroups, periodStart } from './simulation-groups.js';

const limit = (more: Partial<Limit>): Limit => ({
  ...{ limit_id: 'l', version: 1, kind: 'rate', scope: 'agent', subjects: [], tools: [], max: 100, window_ms: 3_600_000, amount: null },
  ...{ per: null, allowed: [], side_effects: null, on_exceeded: 'deny', defer_timeout_ms: null, default: false, by: 'anna' },
  ...{ changed_at: null, etag: '"c1"' },
  ...more,
});

describe('a limit is one sentence', () => {
  test.each<[Partial<Limit>, string]>([
    [{ tools: ['pay_*'] }, 'At most 100 calls of pay_* for each agent in 1 h'],
    [{ kind: 'enabled_tools', allowed: ['read_*'], max: null, window_ms: null }, 'Only read_* may be called for each agent'],
    [{ kind: 'max_iterations', scope: 'run', window_ms: null }, 'At most 100 iterations for each run'],
    [
      { kind: 'cumulative', amount: 'inputs.total', per: 'inputs.to', scope: 'tenant' },
      'The sum of inputs.total of calls with an equal inputs.to is at most 100 for the tenant in 1 h',
    ],
    [{ scope: 'constructor', subjects: ['x'] }, 'At most 100 calls for constructor x in 1 h'],
  ])('%j', (more, sentence) => {
    expect(limitSentence(limit(more))).toBe(sentence);
  });
});

test('a length of time is not rounded', () => {
  expect([5_400_000, 86_400_000, 1500, 0].map(exactDuration)).toEqual(['90 min', '1 d', '1500 ms', '0 ms']);
  expect([millisecondsOf('1.5', 'h'), millisecondsOf('', 'h'), millisecondsOf('-1', 'd'), millisecondsOf('x', 's')]).toEqual([
    5_400_000,
    undefined,
    undefined,
    undefined,
  ]);
});

test('values of unknown fields and effects have no invented words', () => {
  expect(effectWords('constructor')).toEqual({ word: 'constructor', tone: 'neutral' });
  expect(valueWords('from_tomorrow', { a: 1 })).toBeUndefined();
  expect(valueWords('expires_at_ms', 1e300)).toBeUndefined();
  expect(valueWords('tools', 'text')).toBeUndefined();
});

test('calls that change by the same rules are one group, the largest first', () => {
  const difference = (call_id: string, rule: string): CallDifference => ({
    ...{ call_id, tool: 't', case_id: null, difference: 'newly_denied' },
    ...{ before: { effect: 'allow', rule: 'default', bundle_version: '1' }, after: { effect: 'deny', rule, why: null } },
  });
  const groups = differenceGroups([difference('1', 'a'), difference('2', 'b'), difference('3', 'b')]);
  expect(groups.map(({ after, count }) => [after.rule, count])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});

test('a period begins before now; all time has no beginning', () => {
  expect(periodStart('7', Date.parse('2026-01-08T00:00:00Z'))).toBe('2026-01-01T00:00:00.000Z');
  expect(['all', '-1', '1e9', ''].map((period) => periodStart(period, 0))).toEqual([undefined, undefined, undefined, undefined]);
});

test('a draft is kept with what it was begun from; what is no draft is none', () => {
  const record = { text: '{"rules": []}', base: '3', active: null };
  expect(recordOf(recordText(record))).toEqual(record);
  expect([recordOf('{"text": 7}'), recordOf('{'), recordOf('null')]).toEqual([undefined, undefined, undefined]);
});
