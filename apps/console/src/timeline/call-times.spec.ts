import { expect, test } from 'vitest';
import { callSpans, type HistoryLine, type TimedCall } from './call-times.js';

const at = (s: number) => new Date(s * 1_000).toISOString();
const NOW_MS = 100_000;
const spans = (call: Partial<TimedCall>, lines: HistoryLine[] = []) =>
  callSpans({ status: 'succeeded', requested_at: at(1), ...call }, lines, NOW_MS).map(
    ({ phase, from_ms, to_ms }) => `${phase} ${from_ms / 1_000}-${to_ms / 1_000}`,
  );
const approval = (more: object) => ({ approval_id: 'a', requested_at: at(2), status: 'pending', decided_at: null, ...more });

test('a call that ran is decided and queued, then runs', () => {
  expect(spans({ started_at: at(2), ended_at: at(5) })).toEqual(['deciding 1-2', 'running 2-5']);
});

test('the history tells deciding from waiting in the queue', () => {
  const decided: HistoryLine = { type: 'policy_decided', at: at(1.5), decision: { effect: 'allow' } };
  expect(spans({ started_at: at(2), ended_at: at(5) }, [decided])).toEqual(['deciding 1-1.5', 'queued 1.5-2', 'running 2-5']);
});

test('a call waits for a person from the request of the approval to its end', () => {
  const granted = approval({ status: 'granted', decided_at: at(60) });
  expect(spans({ started_at: at(61), ended_at: at(62), approval: granted })).toEqual([
    'deciding 1-2',
    'waiting 2-60',
    'queued 60-61',
    'running 61-62',
  ]);
});

test('a denied call ends with the denial and never ran, although started_at is the time of its request', () => {
  const denied = approval({ status: 'denied', decided_at: at(9) });
  expect(spans({ status: 'denied', started_at: at(1), ended_at: at(9), approval: denied })).toEqual(['deciding 1-2', 'waiting 2-9']);
});

test('a call that was refused at once has only the time of its decision', () => {
  expect(spans({ status: 'denied', started_at: at(1), ended_at: at(1.2) })).toEqual(['deciding 1-1.2']);
});

test('what goes on lasts until now', () => {
  expect(spans({ status: 'pending_approval', started_at: at(1), approval: approval({}) })).toEqual(['deciding 1-2', 'waiting 2-100']);
  expect(spans({ status: 'running', started_at: at(3) })).toEqual(['deciding 1-3', 'running 3-100']);
});

test('doubt lasts until it is resolved', () => {
  const doubt: HistoryLine = { type: 'tool_call_in_doubt', at: at(4) };
  expect(spans({ status: 'in_doubt', started_at: at(2), ended_at: null }, [doubt])).toEqual(['deciding 1-2', 'running 2-4', 'doubt 4-100']);
});

test('a deferred call is held back until it is decided again', () => {
  const decided = (s: number, effect: 'allow' | 'defer', revision: number): HistoryLine => ({
    ...{ type: 'policy_decided', at: at(s), decision: { effect, revision } },
  });
  const lines = [decided(2, 'defer', 1), decided(7, 'allow', 2)];
  expect(spans({ started_at: at(8), ended_at: at(9) }, lines)).toEqual(['deciding 1-2', 'deferred 2-7', 'queued 7-8', 'running 8-9']);
});

test('an answer by an earlier call has no run of its own', () => {
  expect(spans({ deduplicated: true, started_at: at(1), ended_at: at(1.1) })).toEqual(['deciding 1-1.1']);
});

test('an answer by an earlier call carries the times of that call; its own are in its history', () => {
  const earlier = { deduplicated: true, requested_at: at(5), started_at: at(1), ended_at: at(2) };
  expect(spans(earlier)).toEqual(['deciding 5-5']);
  expect(spans(earlier, [{ type: 'tool_retry_deduplicated', at: at(6) }])).toEqual(['deciding 5-6']);
});

test('times that cannot be read make no spans', () => {
  expect(spans({ requested_at: 'soon', started_at: null, ended_at: null })).toEqual([]);
});
