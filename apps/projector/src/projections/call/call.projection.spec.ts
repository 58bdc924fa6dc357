import { type CallState, evolve, packCall, unpackCall } from '@countersign/domain';
import { expect, test } from 'vitest';
import { courses, SampleHistory } from '../../testing/sample-history.js';
import { callWrite } from './call.projection.js';

test.each(courses)('the state of a call that was %s is read back from its row unchanged, after each event', (course) => {
  const history = new SampleHistory();
  history.call(course, 'c1');
  let state: CallState | undefined;
  for (const at of history.events) {
    if (at.event.meta.call_id === null) continue;
    state = evolve(state, at);
    expect(unpackCall(callWrite(state).state)).toEqual(state);
  }
  expect(state).toBeDefined();
});

test('absent, null and long values stay unchanged', () => {
  const history = new SampleHistory();
  history.call('allowed', null);
  const folded = history.events.reduce<CallState | undefined>((state, at) => evolve(state, at), undefined) as CallState;
  const state = { ...folded, end: null, call: { ...folded.call, inputs_json: JSON.stringify('\u0000é'.repeat(50_000)) } } as CallState;
  expect(unpackCall(packCall(state))).toEqual(state);
});

test('the row of a call has the flags of its answer, those of a doubt included', () => {
  const history = new SampleHistory();
  history.call('allowed', null);
  const folded = history.events.reduce<CallState | undefined>((state, at) => evolve(state, at), undefined) as CallState;
  const { end } = folded;
  if (!end) throw new Error('the call has no end');
  const flagged = (flags: string[] | null) => ({ ...end, outcome: { ...end.outcome, extras: { flags } as never } });
  const row = (more: Partial<CallState>) => callWrite({ ...folded, ...more }).flags;
  expect([row({}), row({ end: flagged(null) }), row({ end: flagged(['padding']) })]).toEqual([null, null, 'padding']);
  expect(row({ doubt: flagged(['padding']), end: flagged(['credentials', 'padding']) })).toBe('credentials,padding');
});
