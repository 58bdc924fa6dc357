import type { Calls } from '@countersign/calls';
import { type CallState, type SagaEffect, statusOf } from '@countersign/domain';
import { type CallOutcomes, doubtOf, isKnown, isSettled } from '../evaluation/call-outcomes.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { EffectStop } from './effect-stop.js';
import { isUnverified } from './ended-call.js';

/** Reports what happens to a call before its end. */
export type TellSaga = (order: SagaOrder) => void;

type Follow = Extract<SagaEffect, { kind: 'follow' }>;

/** Follows recorded calls. */
export class CallFollowing {
  constructor(
    private readonly calls: Pick<Calls, 'follow'>,
    private readonly outcomes: Pick<CallOutcomes, 'find'>,
  ) {}

  /** The first state, from this one on, that is wanted; undefined if the signal aborts first. */
  until(known: CallState, signal: AbortSignal, isWanted: (state: CallState) => boolean): Promise<CallState | undefined> {
    if (isWanted(known)) return Promise.resolve(known);
    return new Promise((resolve) => {
      const following: { stop?: () => void; result?: CallState } = {};
      const finish = (state: CallState | undefined) => {
        signal.removeEventListener('abort', abort);
        following.stop?.();
        resolve(state);
      };
      const abort = () => finish(undefined);
      const follower = {
        status: ({ state }: { state: CallState }) => {
          if (following.result || !isWanted(state)) return;
          following.result = state;
          if (following.stop) finish(state);
        },
        progressed: () => undefined,
        ended: () => undefined,
      };
      following.stop = this.calls.follow(known, 0, follower);
      if (following.result) finish(following.result);
      else if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }

  /**
   * The call once it ended, or its outcome is unknown. Tells the saga while a person decides: its clock stands still. The first state is
   * told too: the approval may have been decided while no process followed the call. Before the ruling nothing is told.
   */
  settled(known: CallState, stop: EffectStop, tell: TellSaga): Promise<CallState | undefined> {
    if (isSettled(known)) return Promise.resolve(known);
    const told: { asks?: boolean } = {};
    return this.until(known, stop.signal, (state) => {
      const status = statusOf(state);
      const asks = status === 'pending_approval';
      if (asks !== told.asks && (told.asks || status !== 'pending_policy')) {
        tell({ kind: asks ? 'approval_opened' : 'approval_closed', call_id: state.call_id });
        told.asks = asks;
      }
      return isSettled(state);
    });
  }

  /**
   * Whether a call in doubt took effect, once that is known. The views may be behind the record of the doubt, so that only an end counts.
   * If another call answered it, the doubt is that call's, and only that one is resolved. An undo that its tool could not verify stays
   * unconfirmed: a person decides.
   */
  async evidence(saga: OpenSaga, { run, call_id, direction }: Follow, signal: AbortSignal): Promise<SagaOrder | undefined> {
    const { tenant_id } = saga;
    const settled = await this.until(await this.outcomes.find(tenant_id, call_id), signal, isSettled);
    const original_call_id = settled && doubtOf(settled);
    const resolvable = original_call_id == null ? settled : await this.outcomes.find(tenant_id, original_call_id);
    const state = resolvable && (await this.until(resolvable, signal, isKnown));
    if (!state || (direction === 'compensate' && isUnverified(state))) return undefined;
    const happened = state.compensation !== undefined || state.end?.outcome.effect === 'happened';
    return { kind: 'evidence', of_call_id: run.call_id, direction, happened };
  }
}
