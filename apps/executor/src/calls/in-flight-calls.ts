import type { Outcome } from '@countersign/contracts';
import { digest8 } from '@countersign/domain';
import type { Job } from './job.js';
import { NewestByKey } from './newest-by-key.js';

/** A settled call with a cached outcome, so that repeats of its key cost no SQL. */
export interface Settled {
  call_id: string;
  attempt: number;
  digest8: number;
  ended_at_ms: number;
  outcome: Outcome;
  lane: string;
  partition: number;
}

const REMEMBERED_LENGTH_MAX = 16 * 1024;

/** Every call that waits or runs in this process, by id and (writes) by key, and the last settled keys. */
export class InFlightCalls {
  private readonly byCall = new Map<string, Job>();
  private readonly byKey = new Map<string, Job>();
  private readonly settled: NewestByKey<Settled>;

  constructor(settled_max: number) {
    this.settled = new NewestByKey(settled_max);
  }

  get size(): number {
    return this.byCall.size;
  }

  ofCall(call_id: string): Job | undefined {
    return this.byCall.get(call_id);
  }

  /** The open call with its key that a job may join; never one that waits for the job itself. */
  leaderFor({ key, call_id }: Job): Job | undefined {
    const leader = this.byKey.get(key);
    for (let next = leader; next; next = next.stage === 'joined' ? this.byCall.get(next.leader_call_id) : undefined)
      if (next.call_id === call_id || next.leader_call_id === call_id) return undefined;
    return leader;
  }

  settledOf(key: string): Settled | undefined {
    return this.settled.get(key);
  }

  all(): IterableIterator<Job> {
    return this.byCall.values();
  }

  /** Adds an open job; `leads`: later calls of its key join it. */
  add(job: Job, leads: boolean): void {
    this.byCall.set(job.call_id, job);
    if (leads) this.byKey.set(job.key, job);
  }

  remove(job: Job): void {
    if (this.byCall.get(job.call_id) === job) this.byCall.delete(job.call_id);
    if (this.byKey.get(job.key) === job) this.byKey.delete(job.key);
  }

  join(leader: Job, job: Job): void {
    this.byCall.set(job.call_id, job);
    if (leader.joiners) leader.joiners.push(job);
    else leader.joiners = [job];
  }

  /** Caches the outcome of a key for later calls. A large outcome is read from the log on demand. */
  settle(job: Job, outcome: Outcome): void {
    this.settled.delete(job.key);
    if ((outcome.output_json?.length ?? 0) > REMEMBERED_LENGTH_MAX) return;
    this.settled.set(job.key, {
      call_id: job.call_id,
      attempt: job.attempt,
      digest8: digest8(job.call.discriminating_digest),
      ended_at_ms: outcome.ended_at_ms,
      outcome,
      lane: job.lane,
      partition: job.partition,
    });
  }

  /** Removes the cached outcome of a key whose effect was undone. */
  unsettle(key: string): void {
    this.settled.delete(key);
  }

  /** Removes the keys of a partition that another executor may own now. */
  forget(lane: string, partition: number): void {
    this.settled.deleteWhere((settled) => settled.lane === lane && settled.partition === partition);
  }
}
