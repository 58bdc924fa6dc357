import { type CallState, newestFact, statusOf, terminalStatuses } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import type { CallSnapshot } from './call-snapshot.js';

/** A follower of one call. */
export interface CallFollower {
  /** The state of the call after a fact that is new to the follower. */
  status(snapshot: CallSnapshot): void;
  /** Progress of the run: a hint that is not repeated to a follower that reconnects. */
  progressed(progress: Progress): void;
  /** The call has ended, and so has the subscription. */
  ended(): void;
}

/** True if a follower that has everything up to `after_id` still has to wait for something. */
export const hasNews = (state: CallState, after_id: number): boolean =>
  !terminalStatuses.has(statusOf(state)) || newestFact(state).hlc > after_id;

/** What one follower of a call has received so far. */
export class CallSubscription {
  private shown = '';

  constructor(
    private readonly follower: CallFollower,
    private last_id: number,
  ) {}

  /** Sends the changes. @returns whether the call has ended. */
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
