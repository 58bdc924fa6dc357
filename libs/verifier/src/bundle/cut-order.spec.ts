import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { expect, test } from 'vitest';
import { Causes } from './causes.js';
import { strangeCut } from './cut-order.js';

const hash = (n: number): string => `${n}`.padStart(43, 'A').concat('=');

function event(n: number, cause: number | null, by: 'hash' | 'id'): PlacedEvent {
  const causation_id = cause === null ? null : `e${cause}`;
  const meta = { event_id: `e${n}`, causation_id, cause_hash: cause !== null && by === 'hash' ? hash(cause) : null, hlc: n };
  return { event_type: 'tool_executed', topic: `t${n}`, partition: 0, offset: 0, event: { meta } } as unknown as PlacedEvent;
}

const cutsOf = (...cuts: (number | undefined)[]) =>
  new Map(cuts.flatMap((cut, index) => (cut === undefined ? [] : [[index, cut] as const])));

test.each(['hash', 'id'] as const)('a cause is covered at the latest by the cut after that of its effect, named by its %s', (by) => {
  const events = [event(1, null, by), event(2, 1, by), event(3, 2, by)];
  const causes = new Causes(events.map((at, n) => ({ at, leaf_hash: hash(n + 1) })));
  expect(strangeCut(events, causes, cutsOf(5, 4, 4))).toBeUndefined();
  expect(strangeCut(events, causes, cutsOf(4, 4, 9))).toBeUndefined();
  expect(strangeCut(events, causes, cutsOf(6, 4, 4))).toMatch(
    /^tool_executed t2\/0\/0 was covered by cut 4, and its cause .* t1.* only by cut 6/,
  );
});

test('a record without a proven cut proves no order', () => {
  const events = [event(1, null, 'hash'), event(2, 1, 'hash')];
  const causes = new Causes(events.map((at, n) => ({ at, leaf_hash: hash(n + 1) })));
  expect(strangeCut(events, causes, cutsOf(undefined, 1))).toBeUndefined();
  expect(strangeCut(events, causes, cutsOf(9))).toBeUndefined();
});
