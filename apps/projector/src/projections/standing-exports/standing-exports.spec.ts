import { type PlacedEvent, saysItsCall } from '@countersign/domain';
import type { OutboxRow } from '@countersign/store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallStates, NO_CALL } from '../../folding/call-states.js';
import { callOf } from '../../folding/storable-event.js';
import { courses, SampleHistory } from '../../testing/sample-history.js';
import { exportsOf } from './standing-exports.projection.js';

const history = new SampleHistory();
history.openCase('c1', 'First');
for (const course of courses) history.call(course, 'c1');

/** Reads each topic in order and the topics in any order, as a fold that catches up does. */
function exported(topics: readonly string[]): OutboxRow[] {
  const states = new CallStates(0);
  const events = topics.flatMap((topic) => history.events.filter((at) => at.topic === topic));
  return events.flatMap((at) => {
    const call_id = callOf(at);
    const around = call_id === null ? NO_CALL : states.fold(at, call_id);
    return exportsOf({ at, ...around }, new Set(['audit-view', 'case-history-view'] as const));
  });
}
const idOf = ({ stream, event_id, seq }: OutboxRow) => `${stream} ${event_id}:${seq}`;
const topics = [...new Set(history.events.map(({ topic }) => topic))];
const saying = new Set(history.events.filter(saysItsCall).map(({ event }: PlacedEvent) => event.meta.event_id));
const bodies = (rows: readonly OutboxRow[]) =>
  new Map(rows.filter(({ stream, event_id }) => stream === 'audit-view' && saying.has(event_id)).map((row) => [idOf(row), row.body]));

describe('a repeated export, in any order of topics', () => {
  const straight = exported(topics);

  test('has the same ids', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(topics, { minLength: topics.length }), (order) => {
        expect(new Set(exported(order).map(idOf))).toEqual(new Set(straight.map(idOf)));
      }),
    );
  });

  test('describes a record that names its call only by the content of that record', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(topics, { minLength: topics.length }), (order) => {
        expect(bodies(exported(order))).toEqual(bodies(straight));
      }),
    );
    expect(saying.size).toBeGreaterThan(courses.length);
  });
});
