import { expect, test } from 'vitest';
import type { Refusal } from '../refusal.js';
import { PendingAnswer } from './pending-answer.js';

test('"recorded, but not decided yet" is answered only once the request is on the record', () => {
  const refusals: string[] = [];
  let now_ms = 0;
  const tracker = {
    clock: { monotonic_ms: () => now_ms },
    wheel: { add() {}, remove() {} },
    watchedCalls: { unwatch() {} },
    refresh() {},
    noted: () => true,
  };
  const sink = { refused: ({ kind }: Refusal) => refusals.push(kind) };
  const call = { call_id: '0-c', tenant_id: 'default', wait_ms: 0, event_id: 'e', numbered: undefined };
  const answer = new PendingAnswer(tracker as never, {} as never, sink as never, call as never, { end() {} } as never);
  now_ms = 12_000;
  answer.due();
  expect(refusals).toEqual([]);
  answer.recorded({ topic: 'tool-call-requested', partition: 0, offset: 3 });
  answer.due();
  expect(refusals).toEqual(['no-ruling-yet']);
});
