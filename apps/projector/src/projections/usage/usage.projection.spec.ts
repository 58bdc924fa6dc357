import { type CallState, evolve, type PlacedEvent, usageMeasures } from '@countersign/domain';
import { type Statement, usageCounts } from '@countersign/store';
import { describe, expect, test } from 'vitest';
import { SampleHistory } from '../../testing/sample-history.js';
import { usage } from './usage.projection.js';

/** Rows of a statement, with the measures as in the table columns. */
function rowsOf(statements: readonly Statement[], name: string): unknown[][] {
  const lists = (statements.find((one) => one.name === name)?.params ?? []) as unknown[][];
  return (lists[0] ?? []).map((_, at) => lists.map((list) => list[at]));
}

/** Folds events as the projector does. */
function folded(events: readonly PlacedEvent[]): Statement[] {
  const rows = usage.empty();
  const states = new Map<string, CallState>();
  for (const at of events) {
    const { call_id } = at.event.meta;
    if (call_id === null) continue;
    const before = states.get(call_id);
    const after = evolve(before, at);
    states.set(call_id, after);
    const original = at.event_type === 'tool_retry_deduplicated' ? states.get(at.event.original_call_id) : undefined;
    rows.fold({ at, before, after, original });
  }
  return rows.statements();
}

const timed = (events: readonly PlacedEvent[], timeOf: (at: PlacedEvent) => string): PlacedEvent[] =>
  events.map((at) => ({ ...at, timestamp_ms: Date.parse(timeOf(at)) }));

describe('usage', () => {
  test('its measures are the columns of its tables, in order', () => {
    expect(usageCounts.usage_hours).toEqual(usageMeasures);
    expect(usageCounts.usage_lines).toEqual(usageMeasures);
  });

  test('many calls of one tool by one agent in one hour are one row', () => {
    const history = new SampleHistory();
    for (let i = 0; i < 50; i++) history.call('allowed', null);
    const [row, ...others] = rowsOf(folded(timed(history.events, () => '2026-11-22T10:30:00Z')), 'views_add_to_usage_hours');
    expect(others).toEqual([]);
    expect(row?.slice(0, 9)).toEqual([
      'acme',
      Date.parse('2026-11-22T10:00:00Z') / 3_600_000,
      'create_order',
      '1.0.0',
      'anna',
      0,
      50,
      50,
      34,
    ]);
  });

  test('an end of a doubt from an earlier month is a line that corrects that month', () => {
    const history = new SampleHistory();
    history.call('doubted', 'c1');
    const when = ({ event_type }: PlacedEvent) => (event_type === 'tool_call_resolved' ? '2026-11-02T00:00:00Z' : '2026-10-31T23:00:00Z');
    const lines = rowsOf(folded(timed(history.events, when)), 'views_add_to_usage_lines');
    expect(lines.map((line) => line.slice(2, 6))).toEqual([
      ['anna', 'c1', 'create_order', 0],
      ['anna', 'c1', 'create_order', 202610],
    ]);
  });

  test('a duplicate is compared with the answer of its original', () => {
    const history = new SampleHistory();
    history.call('allowed', null);
    history.call('deduplicated', null);
    const statements = folded(history.events);
    expect(rowsOf(statements, 'views_add_to_usage_replays').map((row) => row.slice(5))).toEqual([[1, 1, 1]]);
    const other = history.events.map((at) =>
      at.event_type === 'tool_retry_deduplicated'
        ? { ...at, event: { ...at.event, outcome: { ...at.event.outcome, output_json: '{"ok":false}' } } }
        : at,
    );
    expect(rowsOf(folded(other), 'views_add_to_usage_replays').map((row) => row.slice(5))).toEqual([[1, 1, 0]]);
  });
});
