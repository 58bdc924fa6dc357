import { type Refusal, tooLate } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import type { Judge } from '../judging/judge.js';
import type { Openings } from '../personal/openings.js';
import { BusyCalls } from '../resources/busy-calls.js';
import type { ResourceNames } from '../resources/resource-names.js';
import type { FairQueue } from '../scheduling/fair-queue.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import { inputsToRun } from './inputs-to-run.js';
import type { Issue, Job } from './job.js';

/** Where a dispatched call goes on. */
export interface NextSteps {
  claim(job: Job): void;
  flushClaims(): void;
  fire(jobs: readonly Job[]): void;
  /** Ends without a claim. */
  refused(job: Job, why: Refusal, issues: Issue[]): void;
  rejudged(job: Job, judgement: Extract<ReturnType<Judge['judge']>, { kind: 'stricter' }>): void;
  /** Whether anything may be claimed or fired at this moment. */
  permitted(): boolean;
}

/** Gives free slots to waiting calls, each looked at again first: in time, not cancelled, runnable, still allowed. */
export class Dispatcher {
  private waiters: (() => void)[] = [];
  private readonly busy = new BusyCalls();
  steps!: NextSteps;

  constructor(
    private readonly queue: FairQueue<Job>,
    private readonly judge: Judge,
    private readonly parts: {
      runtime: ToolRuns;
      openings: Pick<Openings, 'isErased'>;
      names: ResourceNames;
      logger: Pick<Logger, 'error'>;
    },
    private readonly clock: Clock,
  ) {}

  /** It waits for a slot. */
  enqueue(job: Job) {
    job.stage = 'waiting';
    this.queue.put(job);
  }

  /** It will not fire. A write leaves a tombstone first, so that no other executor fires it either. */
  refuse(job: Job, why: Refusal, issues: Issue[] = []) {
    if (!job.write || why === 'key_reused' || why === 'nothing_to_join') return this.steps.refused(job, why, issues);
    job.refusal = { why, issues };
    this.steps.claim(job);
  }

  release(job: Job) {
    if (!job.slot) return;
    job.slot = false;
    this.queue.release(job.tenant_id);
  }

  pump() {
    if (this.queue.waiting > 0 && this.steps.permitted() && !this.judge.silent) {
      const now_ms = this.clock.now_ms();
      const reads: Job[] = [];
      for (let job = this.queue.take(); job; job = this.queue.take()) {
        job.slot = true;
        if (this.mayRead(job, now_ms)) reads.push(job);
      }
      if (reads.length > 0) this.steps.fire(reads);
    }
    this.steps.flushClaims();
    this.wake();
  }

  /** As dispatch; a call that cannot even be looked at ends, and holds up no other. */
  private mayRead(job: Job, now_ms: number): boolean {
    try {
      return this.dispatch(job, now_ms);
    } catch (cause) {
      // Its kind alone: a parser's message quotes what it was given.
      this.parts.logger.error(
        { call_id: job.call_id, cause: cause instanceof Error ? cause.name : typeof cause },
        'a call cannot be looked at',
      );
      this.refuse(job, 'unreadable');
      return false;
    }
  }

  /** True: a read that may run at once. */
  private dispatch(job: Job, now_ms: number): boolean {
    const late = job.cancelled
      ? 'cancelled'
      : tooLate({ execute_before_ms: job.authorised.execute_before_ms, deadline_ms: job.call.deadline_ms }, now_ms);
    if (late) {
      this.refuse(job, late);
      return false;
    }
    if (this.parts.openings.isErased(job)) {
      this.refuse(job, 'erased');
      return false;
    }
    const unrunnable = this.parts.runtime.unrunnable(job);
    if (unrunnable) {
      this.refuse(job, unrunnable.why, unrunnable.issues);
      return false;
    }
    const judgement = this.judge.judgeNoted(job, now_ms);
    if (judgement.kind === 'stricter') {
      this.steps.rejudged(job, judgement);
      return false;
    }
    if (!job.write) return true;
    this.nameResources(job);
    this.steps.claim(job);
    return false;
  }

  private nameResources(job: Job) {
    const tool = this.parts.runtime.find(job);
    if (!tool?.contract.resources) return;
    job.touches = this.parts.names.touchesOf(tool, job.tenant_id, inputsToRun(job));
    job.settle_ms = tool.contract.settle_ms;
  }

  /** It waits for another effect on its resources, without a slot, and then is looked at as if it had just come. */
  park(job: Job) {
    this.release(job);
    job.stage = 'waiting';
    job.attempt = 1;
    job.claims = 0;
    this.busy.park(job, this.clock.monotonic_ms());
  }

  get hasDue(): boolean {
    return this.busy.isDue(this.clock.monotonic_ms());
  }

  /** An effect on resources ended here. */
  wakeParked() {
    this.busy.wake();
  }

  /** Gives those whose pause is over back to the queue. */
  unpark() {
    for (const job of this.busy.take(this.clock.monotonic_ms())) this.enqueue(job);
  }

  /** Calls that wait for a slot and may not run any more leave the queue now: policy decides once more. */
  sweep() {
    const refused = this.queue.drop((job) => this.judge.judge(job.readable).kind === 'stricter');
    for (const job of refused) {
      const judgement = this.judge.judge(job.readable);
      if (judgement.kind === 'stricter') this.steps.rejudged(job, judgement);
    }
  }

  /** Resolves when no more than this many wait: until then nothing more is read. */
  room(waiting_max: number): Promise<void> {
    if (this.queue.waiting <= waiting_max) return Promise.resolve();
    return new Promise((resolve) =>
      this.waiters.push(() => (this.queue.waiting <= waiting_max ? resolve() : this.waitOn(resolve, waiting_max))),
    );
  }

  private waitOn(resolve: () => void, waiting_max: number) {
    this.waiters.push(() => (this.queue.waiting <= waiting_max ? resolve() : this.waitOn(resolve, waiting_max)));
  }

  private wake() {
    if (this.waiters.length === 0) return;
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Waiting calls of a partition that went to another executor: it reads them again. */
  drop(lane: string, partition: number): Job[] {
    const there = (job: Job) => job.lane === lane && job.partition === partition;
    return [...this.queue.drop(there), ...this.busy.drop(there)];
  }

  /** A waiting call leaves the queue. */
  withdraw(job: Job): boolean {
    const it = (candidate: Job) => candidate === job;
    return this.queue.drop(it).length + this.busy.drop(it).length > 0;
  }
}
