import { type CallState, statusOf } from '@countersign/domain';
import { isAnswer } from '../waiting/is-answer.js';
import type { Timed, TimerWheel } from '../waiting/timer-wheel.js';
import type { CallFeeds } from './call-feed.js';
import type { CallSnapshot } from './call-snapshot.js';
import type { CallFollower } from './call-subscription.js';

/** Waits for the answer of a recorded call: its end, or that it is in doubt. */
class AnswerWait implements CallFollower, Timed {
  slot: number | null = null;
  readonly result: Promise<CallState>;
  private settle!: (state: CallState) => void;

  constructor(private newest: CallState) {
    this.result = new Promise((settle) => {
      this.settle = settle;
    });
  }

  status({ state }: CallSnapshot): void {
    this.newest = state;
    if (isAnswer(statusOf(state))) this.settle(state);
  }

  progressed(): void {}

  ended(): void {
    this.settle(this.newest);
  }

  due(): void {
    this.settle(this.newest);
  }
}

/** The call once it is answered, or its current state after `timeout_ms` (at most 100 s). */
export async function waitForAnswer(feeds: CallFeeds, wheel: TimerWheel, known: CallState, timeout_ms: number): Promise<CallState> {
  const wait = new AnswerWait(known);
  const leave = feeds.follow(known, 0, wait);
  wheel.add(wait, timeout_ms);
  try {
    return await wait.result;
  } finally {
    wheel.remove(wait);
    leave();
  }
}
