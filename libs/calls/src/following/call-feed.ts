import type { CallState } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import type { Readable } from '../personal/readable.js';
import type { CallTracker } from '../tracking/call-tracker.js';
import type { Timed } from '../waiting/timer-wheel.js';
import type { CallListener } from '../waiting/watched-calls.js';
import { CallSnapshot } from './call-snapshot.js';
import { type CallFollower, CallSubscription } from './call-subscription.js';

/**
 * Pauses between reads of the view. The first ones are short: an end that is recorded after the first read of the view and before the watch
 * starts is only in the view. The later ones find a record that was missed for any other reason.
 */
const LOOKS_MS = [100, 250, 500, 1_000, 2_000, 4_000, 7_150, 15_000, 30_000];
const LOOK_MAX_MS = 60_000;

interface FeedParts {
  tracker: Pick<CallTracker, 'watchedCalls' | 'wheel' | 'refresh'>;
  readable: Pick<Readable, 'text'>;
}

/** Serves all followers of one call with one watch, one series of view reads and one envelope per change. */
class CallFeed implements CallListener, Timed {
  readonly followers = new Set<CallSubscription>();
  slot: number | null = null;
  private looks = 0;

  constructor(
    private readonly parts: FeedParts,
    private readonly call: { call_id: string; tenant_id: string },
    private readonly onEmpty: () => void,
  ) {}

  join(subscription: CallSubscription, known: CallState): void {
    const { watchedCalls } = this.parts.tracker;
    this.followers.add(subscription);
    if (this.followers.size === 1) {
      this.schedule();
      watchedCalls.watch(this.call.call_id, this.call.tenant_id, this);
    }
    const state = watchedCalls.learn(known) ?? known;
    if (this.followers.has(subscription)) this.show(subscription, new CallSnapshot(state, this.parts.readable));
  }

  leave(subscription: CallSubscription): void {
    if (!this.followers.delete(subscription) || this.followers.size > 0) return;
    const { watchedCalls, wheel } = this.parts.tracker;
    wheel.remove(this);
    watchedCalls.unwatch(this.call.call_id, this);
    this.onEmpty();
  }

  changed(state: CallState): void {
    const snapshot = new CallSnapshot(state, this.parts.readable);
    for (const one of [...this.followers]) this.show(one, snapshot);
  }

  progressed(progress: Progress): void {
    for (const one of [...this.followers]) one.progressed(progress);
  }

  due(): void {
    const waited_ms = this.lookMs();
    this.looks++;
    this.schedule();
    this.parts.tracker.refresh(this.call.tenant_id, this.call.call_id, waited_ms / 2);
  }

  private show(subscription: CallSubscription, snapshot: CallSnapshot): void {
    if (subscription.show(snapshot)) this.leave(subscription);
  }

  private lookMs(): number {
    return LOOKS_MS[this.looks] ?? LOOK_MAX_MS;
  }

  private schedule(): void {
    this.parts.tracker.wheel.add(this, this.lookMs());
  }
}

/** The calls that have followers. A further follower of a call adds no read and no timer. */
export class CallFeeds {
  private readonly feeds = new Map<string, CallFeed>();

  constructor(private readonly parts: FeedParts) {}

  /** Calls with at least one follower. */
  get size(): number {
    return this.feeds.size;
  }

  /** Sends the follower all changes after `after_id`; `known` is the call as read from the view. @returns a function that unsubscribes. */
  follow(known: CallState, after_id: number, follower: CallFollower): () => void {
    const { call_id, tenant_id } = known;
    const name = JSON.stringify([tenant_id, call_id]);
    let feed = this.feeds.get(name);
    if (!feed) {
      feed = new CallFeed(this.parts, { call_id, tenant_id }, () => this.feeds.delete(name));
      this.feeds.set(name, feed);
    }
    const joined = feed;
    const subscription = new CallSubscription(follower, after_id);
    joined.join(subscription, known);
    return () => joined.leave(subscription);
  }
}
