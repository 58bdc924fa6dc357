import type { CallEffect } from '../../execution/life/effects.js';
import type { CallEvent } from '../../execution/life/events.js';
import type { SimulatedJob, SimulatedVerdict } from './simulated-job.js';
import type { World } from './world.js';

/** The state of one executor process, and the effects of the table on it. */
export abstract class ProcessState {
  readonly open = new Map<string, SimulatedJob>();
  readonly leaders = new Map<string, SimulatedJob>();
  readonly foreign = new Map<string, SimulatedJob[]>();
  queue: SimulatedJob[] = [];
  held: SimulatedJob[] = [];
  timed = new Set<SimulatedJob>();
  slots = 0;
  /** Call → the revision up to which it is closed, as far as this process knows. */
  readonly closed = new Map<string, number>();

  constructor(readonly world: World) {}

  abstract handle(job: SimulatedJob, event: CallEvent, verdict?: SimulatedVerdict): void;
  /** Admits the same call from its beginning. */
  protected abstract readmit(job: SimulatedJob, next?: SimulatedJob): void;
  /** Notes the record that will end the call. */
  protected abstract writeEnd(job: SimulatedJob): void;

  protected close(call_id: string, revision: number): void {
    this.closed.set(call_id, Math.max(this.closed.get(call_id) ?? 0, revision));
  }

  /** The open call with the same key that the call may join; never one that waits for this call. */
  protected leaderFor({ ruling: { key, call_id } }: SimulatedJob): SimulatedJob | undefined {
    const leader = this.leaders.get(key);
    for (let next = leader; next; next = next.stage === 'joined' ? this.open.get(next.leader as string) : undefined)
      if (next.ruling.call_id === call_id || next.leader === call_id) return undefined;
    return leader;
  }

  /** True if the end of the call is on the log. */
  protected hasEnded({ ruling: { call_id } }: SimulatedJob): boolean {
    return this.closed.get(call_id) === Number.POSITIVE_INFINITY;
  }

  /** True if no run of its revision is allowed any more. */
  protected isClosed({ ruling: { call_id, revision } }: SimulatedJob): boolean {
    return (this.closed.get(call_id) ?? 0) >= revision;
  }

  protected perform(job: SimulatedJob, effect: CallEffect): void {
    this.effects[effect]?.(job);
  }

  private readonly effects: Partial<Record<CallEffect, (job: SimulatedJob) => void>> = {
    open_as_leader: (job) => this.openAsLeader(job),
    open: (job) => this.open.set(job.ruling.call_id, job),
    remove: (job) => this.remove(job),
    acknowledge: (job) => this.acknowledge(job),
    merge_with_open: (job) => this.merge(job, this.open.get(job.ruling.call_id) as SimulatedJob),
    enqueue: (job) => this.queue.push(job),
    withdraw: (job) => {
      this.queue = this.queue.filter((each) => each !== job);
    },
    release_slot: (job) => this.release(job),
    close_accounts: (job) => this.release(job),
    join_leader: (job) => this.joinLeader(job),
    leave_leader: (job) => this.leaveLeader(job),
    await_remote: (job) => this.foreign.set(job.leader as string, [...(this.foreign.get(job.leader as string) ?? []), job]),
    adopt: (job) => this.adopt(job),
    hold: (job) => this.held.push(job),
    await_due: (job) => this.timed.add(job),
    write_end: (job) => this.writeEnd(job),
    book_end: (job) => this.book(job),
    fold_end: ({ ruling: { call_id } }) => this.world.foldEnd(call_id),
    record_evidence: (job) => this.recordEvidence(job),
    answer_joiners: (job) => this.answerJoiners(job),
    readmit_joiners: (job) => this.eachJoiner(job, 'leader_left'),
    revoke_joiners: (job) => !this.world.planted('forgets_joiners') && this.eachJoiner(job, 'revoked'),
    move_joiners: (job) => this.moveJoiners(job),
    readmit_next: (job) => job.next && this.readmit(job.next, job.next.next),
    readmit_unclaimed: (job) => this.readmitUnclaimed(job),
  };

  private openAsLeader(job: SimulatedJob): void {
    this.open.set(job.ruling.call_id, job);
    if (job.ruling.write) this.leaders.set(job.ruling.key, job);
  }

  private remove(job: SimulatedJob): void {
    const { call_id, key } = job.ruling;
    if (this.open.get(call_id) === job) this.open.delete(call_id);
    if (this.leaders.get(key) === job) this.leaders.delete(key);
  }

  private acknowledge(job: SimulatedJob): void {
    for (const source of job.sources) this.world.covered.add(source);
  }

  private release(job: SimulatedJob): void {
    if (job.slot) this.slots--;
    job.slot = false;
  }

  private joinLeader(job: SimulatedJob): void {
    this.open.set(job.ruling.call_id, job);
    this.open.get(job.leader as string)?.joiners.push(job);
  }

  private recordEvidence({ ruling: { call_id, write }, epoch }: SimulatedJob): void {
    if (write) this.world.append({ kind: 'executed', call_id, epoch, state: 'succeeded', by: undefined });
  }

  private eachJoiner(job: SimulatedJob, event: CallEvent): void {
    for (const joiner of job.joiners.splice(0)) this.handle(joiner, event);
  }

  private readmitUnclaimed(job: SimulatedJob): void {
    if (job.claimed && (!job.refused || this.world.planted('leaves_tombstones'))) this.acknowledge(job);
    else this.readmit(job);
  }

  private merge(job: SimulatedJob, known: SimulatedJob): void {
    if (job.ruling.revision > known.ruling.revision && !this.world.planted('forgets_the_next_revision')) {
      if (known.next) this.merge(job, known.next);
      else known.next = job;
    } else if (known.claimed && (!known.refused || this.world.planted('forgets_tombstones'))) this.acknowledge(job);
    else known.sources.push(...job.sources);
  }

  private leaveLeader(job: SimulatedJob): void {
    const leader = this.open.get(job.leader ?? '');
    if (leader) leader.joiners = leader.joiners.filter((each) => each !== job);
    const waiting = this.foreign.get(job.leader ?? '');
    if (waiting)
      this.foreign.set(
        job.leader ?? '',
        waiting.filter((each) => each !== job),
      );
  }

  private adopt(job: SimulatedJob): void {
    const { call_id, key } = job.ruling;
    const known = this.open.get(call_id);
    if (known) this.handle(known, 'replaced');
    this.open.set(call_id, job);
    this.leaders.set(key, job);
    job.joiners = [...(this.foreign.get(call_id) ?? []), ...(known?.joiners ?? [])];
    job.next = known?.next;
    this.foreign.delete(call_id);
    for (const joiner of job.joiners) joiner.leader = call_id;
    job.slot = true;
    this.slots++;
  }

  private book(job: SimulatedJob): void {
    const { written } = job;
    if (!written || written.kind === 'started') return;
    if ('epoch' in written && written.epoch < (this.world.startedEpoch(job.ruling.call_id) ?? 0)) return;
    this.close(job.ruling.call_id, written.kind === 'rejudged' ? written.revision : Number.POSITIVE_INFINITY);
    this.acknowledge(job);
  }

  private answerJoiners(job: SimulatedJob): void {
    const { verdict } = job;
    if (!verdict || verdict.kind === 'stricter' || (verdict.kind === 'ended' && job.refused)) return;
    const answer = verdict.kind === 'answered' ? verdict : { kind: 'answered' as const, of: job.ruling.call_id };
    for (const joiner of job.joiners.splice(0)) this.handle(joiner, 'leader_answered', answer);
  }

  private moveJoiners(job: SimulatedJob): void {
    const event = job.stage === 'joined' ? 'local_leader_found' : 'remote_leader_found';
    for (const joiner of job.joiners.splice(0)) {
      joiner.leader = job.leader;
      this.handle(joiner, event);
    }
  }
}
