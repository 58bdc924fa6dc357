import type { CallEvent } from '@countersign/domain';
import type { InFlightCalls } from '../calls/in-flight-calls.js';
import { Job } from '../calls/job.js';
import type { Intake } from '../intake/intake.js';
import type { Partitions } from '../partitions/partitions.js';
import type { FairQueue } from '../scheduling/fair-queue.js';

/** Admits calls and keeps the open ones: by call, by key, and which calls wait for which. */
export class PrepareStep {
  constructor(
    private readonly intake: Intake,
    private readonly open: InFlightCalls,
    private readonly partitions: Partitions,
    private readonly queue: FairQueue<Job>,
  ) {}

  admission(job: Job): CallEvent {
    return this.intake.admission(job);
  }

  openCall(job: Job, leads: boolean): void {
    this.open.add(job, leads);
  }

  remove(job: Job): void {
    this.open.remove(job);
  }

  /** Acknowledges its records; if its end is known, with its offset. */
  acknowledge(job: Job): void {
    this.partitions.acknowledge(job, this.partitions.of(job).endOf(job.call_id)?.end_offset);
  }

  /**
   * The call is already open: this record is acknowledged with it, or is its next revision. A takeover skips tombstones, so its records
   * stay open until its end is written.
   */
  merge(job: Job): void {
    this.mergeInto(this.open.ofCall(job.call_id) as Job, job);
  }

  private mergeInto(known: Job, job: Job): void {
    const { source, revision } = job.authorised;
    if (revision > known.authorised.revision) {
      if (known.next) this.mergeInto(known.next, job);
      else known.next = job;
      return;
    }
    if (known.claimed && !known.refusal) this.partitions.of(job).acknowledge(source.topic, source.offset);
    else if (known.sources) known.sources.push(source);
    else known.sources = [source];
  }

  joinLeader(job: Job): void {
    this.open.join(this.open.ofCall(job.leader_call_id) as Job, job);
  }

  awaitRemote(job: Job): void {
    const { awaiting_remote_outcome } = this.partitions.of(job);
    const waiting = awaiting_remote_outcome.get(job.leader_call_id);
    if (waiting) waiting.push(job);
    else awaiting_remote_outcome.set(job.leader_call_id, [job]);
  }

  leaveLeader(job: Job): void {
    const leader = this.open.ofCall(job.leader_call_id);
    if (leader?.joiners) leader.joiners = leader.joiners.filter((joiner) => joiner !== job);
    const { awaiting_remote_outcome } = this.partitions.of(job);
    const waiting = awaiting_remote_outcome.get(job.leader_call_id);
    if (waiting)
      awaiting_remote_outcome.set(
        job.leader_call_id,
        waiting.filter((each) => each !== job),
      );
  }

  /** The open call of the same id that an adopted one replaces. */
  replacedBy(job: Job): Job | undefined {
    return this.open.ofCall(job.call_id);
  }

  /** Opens it with the calls that waited for it, and gives it a slot. */
  adopt(job: Job, known: Job | undefined): void {
    const { awaiting_remote_outcome } = this.partitions.of(job);
    this.open.add(job, job.write);
    job.next = known?.next;
    job.joiners = [...(awaiting_remote_outcome.get(job.call_id) ?? []), ...(known?.joiners ?? [])];
    awaiting_remote_outcome.delete(job.call_id);
    for (const joiner of job.joiners) joiner.leader_call_id = job.call_id;
    job.slot = true;
    this.queue.hold(job.tenant_id);
  }

  /** Restarts the call from its beginning: its run was destroyed, or its end was not written. */
  fresh(job: Job): Job {
    const again = new Job(job.authorised, job.write);
    again.sources = job.sources;
    again.cancelled = job.cancelled;
    again.opened = job.opened;
    return again;
  }
}
