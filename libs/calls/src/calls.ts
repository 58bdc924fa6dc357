import type { CallState } from '@countersign/domain';
import type { Caller } from './caller.js';
import type { CallFeeds } from './following/call-feed.js';
import type { CallFollower } from './following/call-subscription.js';
import { waitForAnswer } from './following/wait-for-answer.js';
import type { CallReader, CallReading } from './recorded/call-reader.js';
import type { Intervention, Interventions, Resolution, Stoppable } from './recorded/interventions.js';
import type { RecordedCalls } from './recorded/recorded-calls.js';
import { Refusal } from './refusal.js';
import type { CallRequest } from './request/call-request.js';
import type { CallSink } from './submitting/answer-writer.js';
import type { CallSubmitter } from './submitting/call-submitter.js';
import type { Submission } from './submitting/submission.js';
import type { Seen } from './views/seen.js';
import type { CallListener } from './waiting/watched-calls.js';

/** Identifies a call for one caller. */
export interface CallName {
  caller: Caller;
  call_id: string;
  /** Log positions that the caller has seen: the answer is at least as new. */
  seen?: Seen;
}

/**
 * The operations on calls for every transport (HTTP, MCP and others): they take a caller and return envelopes or refusals. The transport
 * checks whether the caller's roles allow the operation; this class checks which calls the caller may read and stop.
 */
export class Calls {
  constructor(
    private readonly submitter: CallSubmitter,
    readonly recorded: RecordedCalls,
    private readonly interventions: Interventions,
    private readonly reader: CallReader,
    private readonly feeds: CallFeeds,
  ) {}

  /** Records a call. The sink receives the end, a pending approval, or the end of the wait. See `CallSubmitter.submit`. */
  submit(request: CallRequest, by: Submission, sink: CallSink): void | Promise<void> {
    return this.submitter.submit(request, by, sink);
  }

  /** The recorded call, for `follow`. */
  find({ caller, call_id, seen }: CallName): Promise<CallState | Refusal> {
    return this.recorded.find(caller.tenant_id, call_id, seen);
  }

  /** The current state of the call. */
  async status(name: CallName): Promise<CallReading | Refusal> {
    const state = await this.find(name);
    return state instanceof Refusal ? state : this.reader.status(state, name.caller);
  }

  /** As `status`, of a state that the caller of this method has just read. */
  reading(state: CallState, caller: Caller): Promise<CallReading> {
    return this.reader.status(state, caller);
  }

  /** The call once it is answered, or its current state after `timeout_ms` (at most 100 s). */
  async wait(name: CallName, timeout_ms: number): Promise<CallReading | Refusal> {
    const state = await this.find(name);
    if (state instanceof Refusal) return state;
    return this.reader.status(await waitForAnswer(this.feeds, this.recorded.tracker.wheel, state, timeout_ms), name.caller);
  }

  /** `only_before_fire`: a call that may have fired goes on. */
  async cancel(name: CallName, reason: string | undefined, only_before_fire = false): Promise<Intervention | Refusal> {
    const state = await this.find(name);
    return state instanceof Refusal ? state : this.interventions.cancel(name.caller, state, reason, only_before_fire);
  }

  /**
   * For a transport whose caller gave up a call that it had submitted: stops it if it is a read, or, if wanted, a write that has not fired.
   * A write that may have fired goes on, and an equal call joins it. @returns undefined if the call goes on.
   */
  async abandon({ caller, call_id }: CallName, reason: string | undefined, stops: Stoppable): Promise<Intervention | Refusal | undefined> {
    const state = await this.recorded.findAccepted(caller.tenant_id, call_id);
    return state instanceof Refusal ? state : this.interventions.abandon(caller, state, reason, stops);
  }

  /** Notifies the listener of a call that this process has accepted. @returns a function that ends this. */
  observe({ caller, call_id }: CallName, listener: CallListener): () => void {
    return this.recorded.observe(caller.tenant_id, call_id, listener);
  }

  /** Records whether a call in doubt happened. */
  async resolve(name: CallName, resolution: Resolution): Promise<Intervention | Refusal> {
    const state = await this.find(name);
    return state instanceof Refusal ? state : this.interventions.resolve(name.caller, state, resolution);
  }

  /**
   * Notifies the follower of every state of the call whose id is above `after_id` (0: all from now on).
   * @returns a function that unsubscribes.
   */
  follow(known: CallState, after_id: number, follower: CallFollower): () => void {
    return this.feeds.follow(known, after_id, follower);
  }
}
