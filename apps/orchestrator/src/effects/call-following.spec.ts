import type { CallFollower } from '@countersign/calls/following/call-subscription';
import type { CallState, Run } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { CallOutcomes } from '../evaluation/call-outcomes.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import { CallFollowing } from './call-following.js';
import { EffectStop } from './effect-stop.js';

const ended = (call_id: string, status: string, effect: string, original_call_id: string | null = null) =>
  ({ call_id, end: { kind: original_call_id ? 'deduplicated' : 'executed', original_call_id, outcome: { status, effect } } }) as CallState;

const started = (call_id: string) => ({ call_id, started: {}, ruling: { effect: 'allow' } }) as unknown as CallState;

/** Calls as they are recorded, by id. Nothing changes while they are followed. */
const followingOf = (...states: CallState[]) => laggingOf(states);

/** Calls as the views show them, and the states that their followers receive later. */
const laggingOf = (states: CallState[], later: readonly CallState[] = []) => {
  const find = async (_tenant_id: string, call_id: string) => states.find((state) => state.call_id === call_id) as CallState;
  const follow = (known: CallState, _last: number, follower: CallFollower) => {
    const timer = setTimeout(() => {
      for (const state of later) if (state.call_id === known.call_id) follower.status({ state } as never);
    }, 5);
    return () => clearTimeout(timer);
  };
  return new CallFollowing({ follow }, new CallOutcomes({ recorded: { find } } as never));
};

const saga = { tenant_id: 'default' } as OpenSaga;
const undoInDoubt = { kind: 'follow', run: { call_id: 'step' } as Run, call_id: 'undo', direction: 'compensate' } as const;

test('an undo that the doubt of an earlier call answered is known once the earlier call is resolved', async () => {
  const following = followingOf(ended('undo', 'in_doubt', 'unknown', 'earlier'), ended('earlier', 'failed', 'none'));
  const known = await following.evidence(saga, undoInDoubt, new AbortController().signal);
  expect(known).toEqual({ kind: 'evidence', of_call_id: 'step', direction: 'compensate', happened: false });
});

test('an undo whose own outcome is unknown is not known', async () => {
  const signal = AbortSignal.timeout(20);
  expect(await followingOf(ended('undo', 'in_doubt', 'unknown')).evidence(saga, undoInDoubt, signal)).toBeUndefined();
});

test('an unverified undo gives no evidence that its effect is gone', async () => {
  const undo = ended('undo', 'succeeded', 'happened');
  const unverified = { ...undo, end: { ...undo.end, outcome: { ...undo.end?.outcome, extras: { verified: false } } } } as CallState;
  expect(await followingOf(unverified).evidence(saga, undoInDoubt, AbortSignal.timeout(20))).toBeUndefined();
});

test('a doubt that the views do not have yet is no evidence: only the end of the call is', async () => {
  const doubt = ended('undo', 'in_doubt', 'unknown');
  const unknown = laggingOf([started('undo')], [doubt]).evidence(saga, undoInDoubt, AbortSignal.timeout(50));
  expect(await unknown).toBeUndefined();
  const known = laggingOf([started('undo')], [doubt, ended('undo', 'succeeded', 'happened')]);
  expect(await known.evidence(saga, undoInDoubt, AbortSignal.timeout(5_000))).toMatchObject({ kind: 'evidence', happened: true });
});

describe('an approval', () => {
  const judged = (call_id: string) => ({ call_id, ruling: { effect: 'require_approval' } }) as unknown as CallState;
  const asking = (call_id: string) => ({ ...judged(call_id), approval: {} }) as unknown as CallState;
  const toldOf = async (...states: CallState[]) => {
    const [known, ...later] = states;
    const told: string[] = [];
    const stop = new EffectStop();
    setTimeout(() => stop.now(), 30);
    await laggingOf([], later).settled(known as CallState, stop, ({ kind }) => void told.push(kind));
    return told;
  };

  test('that was decided while no process followed the call is reported as closed', async () => {
    expect(await toldOf(started('a'))).toEqual(['approval_closed']);
  });

  test('is reported once when it opens and once when it closes', async () => {
    expect(await toldOf(asking('a'), asking('a'), started('a'), started('a'))).toEqual(['approval_opened', 'approval_closed']);
  });

  test('is not told as closed by a view that does not have the ruling yet', async () => {
    expect(await toldOf({ call_id: 'a' } as CallState, asking('a'))).toEqual(['approval_opened']);
  });
});
