import { type CallState, statusOf, terminalStatuses } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import { newestFact } from '../waiting/state-hlc.js';
import type { CallSnapshot } from './call-snapshot.js';

/** A follower of one call. */
export interface CallFollower {
  /** The call as it is after a fact that is new to the follower. */
  status(snapshot: CallSnapshot): void;
  /** Progress of its run: a hint that is not repeated to a follower that reconnects. */
  progressed(progress: Progress): void;
  /** The call has ended, and so has the subscription. */
  ended(): void;
}

/** Whether a follower that has everything up to `after_id` has anything to wait for. */
export const hasNews = (state: CallState, after_id: number): boolean =>
  !terminalStatuses.has(statusOf(state)) || newestFact(state).hlc > after_id;

/** What one follower of a call has received. */
export class CallSubscription {
  private shown = '';

  constructor(
    private readonly follower: CallFollower,
    private last_id: number,
  ) {}

  /** Tells what is new. @returns whether the call has ended. */
  show(snapshot: CallSnapshot): boolean {
    const { state, id } = snapshot;
    const status = statusOf(state);
    if (id > this.last_id || (id === this.last_id && this.shown !== '' && this.shown !== status)) {
      this.last_id = id;
      this.shown = status;
      this.follower.status(snapshot);
    }
    const over = terminalStatuses.has(status) && state.ruling !== null;
    if (over) this.follower.ended();
    return over;
  }

  progressed(progress: Progress): void {
    this.follower.progressed(progress);
  }
}
