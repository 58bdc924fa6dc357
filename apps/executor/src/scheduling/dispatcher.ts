import { type CallEvent, type Refusal, tooLate } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import { inputsToRun } from '../calls/inputs-to-run.js';
import type { Issue, Job } from '../calls/job.js';
import type { JobEvent } from '../calls/job-event.js';
import { refusedOutcome } from '../calls/outcomes.js';
import type { Judge } from '../judging/judge.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import { BusyCalls } from '../resources/busy-calls.js';
import type { ResourceNames } from '../resources/resource-names.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { FairQueue } from './fair-queue.js';

/** Dependencies of the checks before a run. */
export interface LookParts {
  judge: Judge;
  runtime: ToolRuns;
  decryptor: Pick<PersonalDataDecryptor, 'isErased'>;
  names: ResourceNames;
  logger: Pick<Logger, 'error'>;
}

/** Assigns free slots to waiting calls after a check of each: in time, not cancelled, runnable, still allowed. */
export class Dispatcher {
  private waiters: (() => void)[] = [];
  private readonly busy = new BusyCalls();

  constructor(
    private readonly queue: FairQueue<Job>,
    private readonly parts: LookParts,
    private readonly clock: Clock,
  ) {}

  /** Queues a call for a slot. */
  enqueue(job: Job): void {
    this.queue.put(job);
  }

  /** It will not run. A write leaves a tombstone first, so that no other executor runs it either. */
  refuse(job: Job): Extract<CallEvent, 'tombstone_needed' | 'verdict_reached'> {
    job.refusal ??= { why: 'cancelled', issues: [] };
    const { why, issues } = job.refusal;
    if (job.write && why !== 'idempotency_key_reused' && why !== 'nothing_to_join') return 'tombstone_needed';
    job.verdict = { kind: 'ended', outcome: refusedOutcome(job, why, issues, this.clock.now_ms()) };
    return 'verdict_reached';
  }

  release(job: Job): void {
    if (!job.slot) return;
    job.slot = false;
    this.queue.release(job.tenant_id);
  }

  /** Calls that get a slot now, one after the other. */
  *slots(): Generator<Job> {
    if (this.queue.waiting === 0 || this.parts.judge.silent) return;
    for (let job = this.queue.take(); job; job = this.queue.take()) {
      job.slot = true;
      yield job;
    }
  }

  /** Checks whether a call may run. A call whose check fails ends, and delays no other. */
  judge(job: Job): CallEvent {
    try {
      return this.judged(job, this.clock.now_ms());
    } catch (cause) {
      // Logs only the kind of error: the message of a parser quotes its input.
      this.parts.logger.error(
        { event: 'call_record_unreadable', call_id: job.call_id, cause: cause instanceof Error ? cause.name : typeof cause },
        'a call record cannot be read',
      );
      return refused(job, 'record_unreadable');
    }
  }

  private judged(job: Job, now_ms: number): CallEvent {
    const { authorised, call } = job;
    if (job.cancelled) return refused(job, 'cancelled');
    const late = tooLate({ execute_before_ms: authorised.execute_before_ms, deadline_ms: call.deadline_ms }, now_ms);
    if (late) return refused(job, late);
    if (this.parts.decryptor.isErased(job)) return refused(job, 'subject_erased');
    const unrunnable = this.parts.runtime.unrunnable(job);
    if (unrunnable) return refused(job, unrunnable.why, unrunnable.issues);
    const judgement = this.parts.judge.judgeNoted(job, now_ms);
    if (judgement.kind === 'stricter') {
      job.verdict = judgement;
      return 'verdict_reached';
    }
    if (!job.write) return 'may_run';
    this.nameResources(job);
    return 'may_claim';
  }

  private nameResources(job: Job) {
    const tool = this.parts.runtime.find(job);
    if (!tool?.contract.resources) return;
    job.touches = this.parts.names.touchesOf(tool, job.tenant_id, inputsToRun(job));
    job.settle_ms = tool.contract.settle_ms;
  }

  /** Parks a call until another effect on its resources ends; then it is checked like a new call. */
  park(job: Job): void {
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

  /** Parked calls whose pause is over. */
  parkedDue(): Job[] {
    return this.busy.take(this.clock.monotonic_ms());
  }

  /** Removes calls from the queue that may no longer run: the policy service decides again. */
  sweep(): JobEvent[] {
    const swept: JobEvent[] = [];
    this.queue.drop((job) => {
      const verdict = this.parts.judge.judge(job.readable);
      if (verdict.kind === 'stricter') swept.push({ job, event: 'verdict_reached', verdict });
      return verdict.kind === 'stricter';
    });
    return swept;
  }

  /** Resolves when at most this many calls wait; until then no more records are read. */
  waitForCapacity(waiting_max: number): Promise<void> {
    if (this.queue.waiting <= waiting_max) return Promise.resolve();
    return new Promise((resolve) =>
      this.waiters.push(() => (this.queue.waiting <= waiting_max ? resolve() : this.waitOn(resolve, waiting_max))),
    );
  }

  private waitOn(resolve: () => void, waiting_max: number) {
    this.waiters.push(() => (this.queue.waiting <= waiting_max ? resolve() : this.waitOn(resolve, waiting_max)));
  }

  /** Wakes waiting readers. */
  wake(): void {
    if (this.waiters.length === 0) return;
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Removes waiting calls of a partition that moved to another executor, which reads them again. */
  drop(lane: string, partition: number): Job[] {
    const there = (job: Job) => job.lane === lane && job.partition === partition;
    return [...this.queue.drop(there), ...this.busy.drop(there)];
  }

  /** Removes a waiting call from the queue. */
  withdraw(job: Job): void {
    const it = (candidate: Job) => candidate === job;
    this.queue.drop(it);
    this.busy.drop(it);
  }
}

function refused(job: Job, why: Refusal, issues: Issue[] = []): 'refused' {
  job.refusal = { why, issues };
  return 'refused';
}
