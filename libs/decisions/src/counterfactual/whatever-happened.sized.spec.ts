import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReadEvent } from '../read-event.js';
import { answerTo } from '../testing/answer-to.js';
import { live, type Step } from '../testing/lived-steps.js';
import { RecordedCalls } from './recorded-calls.js';

const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.tuple(fc.constantFrom('read' as const, 'stage' as const, 'pay' as const), fc.nat(4), fc.boolean()),
  fc.tuple(
    fc.constantFrom('approve' as const, 'deny' as const, 'cancel' as const, 'wait' as const, 'limit' as const, 'policy' as const),
    fc.nat(5),
  ),
  fc.tuple(fc.constant('after' as const), fc.nat(5)),
);

test('for any history without a change, every call is decided again as recorded', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      const { comparisons } = answerTo(live(steps), []);
      expect(comparisons.filter(({ differences, unknown }) => differences.length > 0 || unknown.length > 0)).toEqual([]);
    }),
    { numRuns: histories(20, 120) },
  );
});

test('a cancellation that came too late is decided after the end of the call, not at its append time', () => {
  // The cancellation of the second call is appended 2 ms before the first call ends, and handled 1 ms after that.
  const world = live([
    ['read', 0, true],
    ['after', 0],
    ['approve', 1],
    ['after', 0],
    ['read', 0, false],
    ['after', 0],
    ['after', 0],
    ['read', 0, false],
    ['approve', 1],
    ['cancel', 0],
    ['cancel', 1],
  ]);
  const cancelled = world.records.filter(({ event_type }) => event_type === 'tool_call_cancel_requested').at(-1) as ReadEvent;
  const [failed, denied] = world.records.filter(({ offset }) => offset > cancelled.offset);
  expect(failed).toMatchObject({ event_type: 'tool_executed', timestamp_ms: cancelled.timestamp_ms + 2 });
  expect(denied).toMatchObject({
    event_type: 'policy_decided',
    event: { effect: 'deny', revision: 2, meta: { call_id: cancelled.event.meta.call_id } },
  });
  expect(answerTo(world, [])).toMatchObject({ calls: 7, unchanged: 7, unknown: 0 });
});

test('a call that was refused at its turn is refused at that time, not when it ran after people had approved it', () => {
  const world = live([
    ['stage', 4, true],
    ['policy', 2],
    ['pay', 3, true],
    ['policy', 4],
    ['after', 2],
    ['approve', 0],
    ['after', 2],
    ['stage', 3, true],
  ]);
  expect(world.records.filter(({ event_type }) => event_type === 'tool_call_rejudged')).toHaveLength(1);
  expect(answerTo(world, [])).toMatchObject({ calls: 5, unchanged: 5, unknown: 0 });
});

test('a cancellation that is unhandled at the end of the record is not handled in any world', () => {
  const world = live([
    ['pay', 1, false],
    ['policy', 0],
    ['pay', 2, false],
  ]);
  const call_id = world.records.at(-1)?.event.meta.call_id as string;
  world.cancel(call_id);
  const cut = world.records.findIndex(({ event_type }) => event_type === 'tool_call_cancel_requested');
  world.records.length = cut + 1;
  expect(answerTo(world, [])).toMatchObject({ calls: 2, unchanged: 2, unknown: 0 });
});

test('whatever is left out, a call that never ran gets no result of its own', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 20 }), fc.nat(20), (steps, n) => {
      const world = live(steps);
      const ids = [...RecordedCalls.of(world.records).ids()];
      fc.pre(ids.length > 0);
      const call_id = ids[n % ids.length] as string;
      const { comparisons } = answerTo(world, [{ kind: 'left_out', call_id }]);
      for (const one of comparisons) {
        const known = one.counterfactual?.status === 'succeeded' || one.counterfactual?.status === 'failed';
        if (known) expect(one.result).not.toBeNull();
        if (one.result?.kind === 'identical_call') expect(one.result.call_id).not.toBe(one.call_id);
      }
      expect(comparisons.find((one) => one.call_id === call_id)).toMatchObject({ counterfactual: null, differences: ['left_out'] });
    }),
    { numRuns: histories(10, 60) },
  );
});
