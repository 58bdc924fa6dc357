import type { PlacedEvent } from '@countersign/domain';
import { expect, test } from 'vitest';
import { CallStates } from '../../folding/call-states.js';
import { type Course, SampleHistory } from '../../testing/sample-history.js';
import { historyOf } from './lines.js';

/** The lines of the calls of a history, by cause, as the fold gives them for this order of events. */
async function linesOf(events: readonly PlacedEvent[]) {
  const states = new CallStates(0);
  const none = { query: async () => [] } as never;
  await states.load(none, events, 0);
  const lines = events.flatMap((at) => {
    const call_id = at.event.meta.call_id;
    return call_id === null ? [] : historyOf({ at, ...states.fold(at, call_id) });
  });
  return lines.sort((a, b) => a.hlc - b.hlc || a.seq - b.seq);
}

const historyWith = (course: Course): PlacedEvent[] => {
  const history = new SampleHistory();
  history.call(course, 'c1');
  return history.events;
};
/** The records of one topic first: the fold reads topics in any order. */
const topicFirst = (topic: string, events: readonly PlacedEvent[]) => [
  ...events.filter((at) => at.topic === topic),
  ...events.filter((at) => at.topic !== topic),
];

test('a denial is one line: that of the decision, or that of the approver', async () => {
  expect((await linesOf(historyWith('denied'))).map(({ type }) => type)).toEqual(['tool_call_pending', 'policy_decided']);
  expect((await linesOf(historyWith('refused'))).map(({ type }) => type)).toEqual([
    ...['tool_call_pending', 'policy_decided', 'tool_call_pending_approval', 'approval_denied'],
  ]);
});

test('a vote is a line, whichever topic is read first', async () => {
  for (const course of ['granted', 'refused', 'expired', 'cancelled'] as const) {
    const events = historyWith(course);
    const lines = await linesOf(events);
    for (const topic of new Set(events.map((at) => at.topic))) expect(await linesOf(topicFirst(topic, events))).toEqual(lines);
  }
  const lines = await linesOf(historyWith('granted'));
  const votes = lines.filter(({ type }) => type === 'approval_voted').map(({ detail_json }) => JSON.parse(detail_json as string));
  expect(votes).toMatchObject([
    { vote_id: 'v0', by: expect.any(String) },
    { vote_id: 'v1', vote: 'approve' },
  ]);
});

test('a denial that does not count is a line', async () => {
  const [counted, refused] = [historyWith('refused'), historyWith('refused')];
  const end = refused.find(({ event_type }) => event_type === 'approval_denied') as PlacedEvent;
  const { meta, approval_id } = end.event as unknown as { meta: never; approval_id: string };
  const refusal = { meta, approval_id, vote_id: 'v1', reason: 'not entitled', code: 'not_entitled', source: { topic: 't', offset: 0 } };
  const at = { ...end, event_type: 'approval_vote_refused', event: refusal } as PlacedEvent;
  const types = async (events: readonly PlacedEvent[]) => (await linesOf(events)).map(({ type }) => type);
  expect(await types(counted)).not.toContain('approval_voted');
  const events = refused.map((one) => (one === end ? at : one));
  expect(await types(events)).toContain('approval_voted');
  expect(await types(topicFirst('approval-granted', events))).toEqual(await types(events));
});
