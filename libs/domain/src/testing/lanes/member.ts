import { cancel } from '../../execution/cancel.js';
import { standingOf } from '../../execution/life/states.js';
import { Answers } from './answers.js';
import type { Task } from './claiming.js';
import { SimulatedJob } from './simulated-job.js';
import type { Entry, Ruling } from './world.js';

/** One executor process in a world shared with others. Handles external events. */
export class Member extends Answers {
  private lost = false;
  /** Position up to which it has read the log. */
  read = 0;
  readonly delivered = new Set<number>();

  /** True if the process may fire or end a call now. Notices an expired lease. */
  check(): boolean {
    if (!this.lost && this.world.fenced.has(this.epoch)) this.lose();
    return !this.lost;
  }

  lose(): void {
    this.lost = true;
    for (const job of [...this.open.values()]) this.handle(job, 'lease_lost');
  }

  acquire(): void {
    if (!this.lost) return;
    this.epoch = this.world.nextEpoch();
    this.lost = false;
  }

  /** Runs one step of a random query. */
  advance(): void {
    if (this.tasks.length === 0) return;
    const at = this.world.random.below(this.tasks.length);
    const [task] = this.tasks.splice(at, 1) as [Task];
    const next = task.step();
    if (typeof next === 'function') this.tasks.push({ job: task.job, step: next });
    else if (next) this.handle(task.job, next);
  }

  /** Hands out slots and ends holds and pauses. */
  tick(): void {
    if (!this.check()) return;
    for (const job of this.held.splice(0)) if (job.stage === 'gated') this.handle(job, 'look_again');
    const due = [...this.timed];
    this.timed.clear();
    for (const job of due) {
      if (job.stage === 'settling') this.handle(job, 'ask_due');
      else if (job.stage === 'resending') {
        job.resends++;
        this.handle(job, job.ruling.write ? 'start_again' : 'run_again');
      }
    }
    for (let job = this.queue.shift(); job; job = this.queue.shift()) {
      job.slot = true;
      this.slots++;
      this.handle(job, 'slot_given');
    }
  }

  deliver(source: number): void {
    const ruling = this.world.rulings[source] as Ruling;
    this.delivered.add(source);
    if (this.world.covered.has(source)) return;
    const job = new SimulatedJob(ruling, source);
    this.handle(job, this.admission(job));
  }

  cancelCall(call_id: string): void {
    const job = this.open.get(call_id);
    if (!job) return;
    const { kind } = cancel(standingOf(job.stage));
    if (kind !== 'ignore') job.cancelled = true;
    this.handle(job, 'cancelled');
  }

  revoke(): void {
    this.assigned = false;
    const waiting = [...this.queue, ...[...this.foreign.values()].flat()];
    this.queue = [];
    for (const job of waiting) this.handle(job, 'revoked');
    this.foreign.clear();
  }

  /** Reads the log to its head. */
  readTail(): void {
    this.readTo(this.world.log.length);
  }

  protected readTo(end: number): void {
    for (; this.read < end; this.read++) {
      const entry = this.world.log[this.read] as Entry;
      if (entry.by === this || entry.kind === 'started') continue;
      if (entry.kind === 'rejudged') this.close(entry.call_id, entry.revision);
      else if (entry.kind === 'deduplicated' || this.world.counts(this.read)) this.heard(entry);
    }
  }

  private heard(entry: Exclude<Entry, { kind: 'started' | 'rejudged' }>): void {
    this.close(entry.call_id, Number.POSITIVE_INFINITY);
    if (entry.kind === 'deduplicated') return;
    const verdict = { kind: 'answered' as const, of: entry.call_id };
    const waiting = this.foreign.get(entry.call_id) ?? [];
    this.foreign.delete(entry.call_id);
    for (const job of waiting) this.handle(job, 'leader_answered', verdict);
    const job = this.open.get(entry.call_id);
    if (job) this.handle(job, 'ended_elsewhere', verdict);
  }

  takeOver(): void {
    if (!this.assigned || !this.check()) return;
    this.readTail();
    for (const row of this.world.orphans()) {
      if (this.closed.get(row.call_id) === Number.POSITIVE_INFINITY) {
        this.world.foldEnd(row.call_id);
        continue;
      }
      const started = this.world.startedEpoch(row.call_id);
      const job = new SimulatedJob(this.world.rulings[row.source] as Ruling, row.source);
      const { event, state } = this.world.takenOver(row, started !== null);
      job.attempt = row.attempt;
      job.epoch = Math.max(this.epoch, row.epoch, started ?? 0);
      row.epoch = this.epoch;
      job.lease = this.epoch;
      job.claimed = true;
      if (state) job.verdict = { kind: 'ended', state };
      if (event === 'adopted_to_start' && started !== null) {
        job.resends++;
        job.maybe_happened = true;
      }
      this.handle(job, event);
    }
  }
}
