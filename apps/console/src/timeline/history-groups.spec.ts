import { expect, test } from 'vitest';
import type { HistoryLine } from './call-times.js';
import { delayOf, groupLines } from './history-groups.js';
import { lineFacts, lineWords } from './history-words.js';

const line = (
  event_id: string,
  type: HistoryLine['type'],
  call_id: string | null = null,
  more: Partial<HistoryLine> = {},
): HistoryLine => ({
  ...{ event_id, type, call_id, at: `2026-11-27T09:00:0${event_id}Z`, ...(call_id ? { tool: `tool-${call_id}` } : {}) },
  ...more,
});
const LINES = [
  line('1', 'case_opened'),
  line('2', 'tool_call_pending', 'a'),
  line('3', 'tool_call_pending', 'b'),
  line('4', 'policy_decided', 'a', { decision: { effect: 'deny' } }),
  line('4', 'tool_call_failed', 'a'),
  line('4', 'tool_call_failed', 'a'),
  line('5', 'tool_call_complete', 'b'),
];
const shown = (...groups: Parameters<typeof groupLines>[1] extends ReadonlySet<infer G> ? G[] : never) =>
  groupLines(LINES, new Set(groups)).map(
    ({ tool, lines }) => `${tool}: ${lines.map(({ event_id, type }) => `${event_id} ${type}`).join(', ')}`,
  );

test('lines are grouped by call, in the order in which calls appear, each line once', () => {
  expect(shown()).toEqual([
    'null: 1 case_opened',
    'tool-a: 2 tool_call_pending, 4 policy_decided, 4 tool_call_failed',
    'tool-b: 3 tool_call_pending, 5 tool_call_complete',
  ]);
});

test('a filter leaves out lines, and calls without any', () => {
  expect(shown('decisions')).toEqual(['tool-a: 4 policy_decided']);
  expect(shown('undo')).toEqual([]);
});

test('a decision is named by its effect', () => {
  expect(lineWords(LINES[3] as HistoryLine)).toMatchObject({ text: 'Denied by rule', tone: 'bad' });
});

test('a line of a type that this console does not know is shown by its name', () => {
  expect(lineWords({ type: 'constructor' as never })).toMatchObject({ text: 'constructor' });
  expect(lineWords({})).toMatchObject({ text: 'Unknown' });
});

test('the facts of a line are texts, whatever a tool wrote', () => {
  const facts = lineFacts({ type: 'tool_call_failed', error: { code: 'X', message: '<b>' }, by: { evil: 1 } as never, reason: '' });
  expect(facts).toEqual([{ label: 'error', text: 'X: <b>' }]);
});

test('a delay is never negative: lines of several partitions are ordered by cause, not by clock', () => {
  expect([delayOf('2026-11-27T09:00:02Z', '2026-11-27T09:00:01Z'), delayOf(undefined, 'x')]).toEqual([0, undefined]);
});
