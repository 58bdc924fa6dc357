import type { CallState } from '@countersign/domain';
import { expect, test } from 'vitest';
import { needsEffect } from './effect-reader.js';

const answeredBy = (because: string, effect_now: string | null) =>
  ({ end: { deduplication: { because, effect_now, superseded_by: null } } }) as unknown as CallState;

test('an answer to a repeat shows the current state of the effect; an answer by an earlier call does if its record does not', () => {
  const ran = { end: {} } as CallState;
  expect([needsEffect(ran, false), needsEffect(ran, true)]).toEqual([false, true]);
  expect(needsEffect(answeredBy('same_request', null), false)).toBe(true);
  expect(needsEffect(answeredBy('effect_stands', 'stands'), false)).toBe(false);
  // The call joined one that had not ended: the effect is as new as the answer.
  expect(needsEffect(answeredBy('live_key', null), false)).toBe(false);
});
