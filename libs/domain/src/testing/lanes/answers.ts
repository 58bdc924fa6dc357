import { callError } from '@countersign/contracts';
import { admit } from '../../execution/admit.js';
import type { CallQuestion } from '../../execution/life/effects.js';
import type { CallEvent } from '../../execution/life/events.js';
import { isFinished } from '../../execution/life/states.js';
import { afterEvent } from '../../execution/life/table.js';
import { afterReconcile } from '../../execution/reconciled.js';
import { meaningOf, type RunResult } from '../../execution/result.js';
import { digest8 } from '../../execution/row.js';
import { Claiming, type Task } from './claiming.js';
import { SimulatedJob, type SimulatedVerdict } from './simulated-job.js';
import { DIGEST, type Entry } from './world.js';

const RUN = { resends_max: 1, fired_at_ms: 0, now_ms: 0, deadline_ms: null, until_ms: 1, paused_ms: 0, random: 0, cancelled: false };

/** Answers the queries of the table in one executor process, at once or in steps between which others may run. */
export abstract class Answers extends Claiming {
  tasks: Task[] = [];
  /** The ends that this process wrote: call → epoch, null for an answer of an earlier call. */
  private readonly ended = new Map<string, number | null>();

  handle(job: SimulatedJob, event: CallEvent, verdict?: SimulatedVerdict): void {
    const gives_up = job.stage === 'writing' && event === 'lease_lost' && this.world.planted('gives_up_what_it_sent');
    const step = afterEvent(job.stage, gives_up ? 'end_not_written' : event);
    if (!step) return;
    if (verdict) job.verdict = verdict;
    job.stage = step.to;
    for (const effect of step.effects) this.perform(job, effect);
    if (step.ask) this.ask(job, step.ask);
  }

  /** Reads the records of other processes on the log below this position. */
  protected abstract readTo(end: number): void;

  protected admission(job: SimulatedJob): CallEvent {
    const { call_id, key, write } = job.ruling;
    const live = write ? this.leaderFor(job) : undefined;
    const admission = admit(
      {
        call_id,
        key,
        write,
        joined_call_id: null,
        key_passed: false,
        discriminating_digest: DIGEST,
        execute_before_ms: 10,
        deadline_ms: null,
      },
      {
        history: false,
        ended: this.isClosed(job),
        open: this.open.has(call_id),
        cancelled: false,
        live: live ? { call_id: live.ruling.call_id, digest8: digest8(DIGEST) } : null,
        settled: null,
        window_ms: 0,
        now_ms: 0,
      },
    );
    if (admission.kind === 'ignore') return admission.why === 'open' ? 'record_repeated' : 'record_closed';
    if (admission.kind !== 'join') return 'admitted';
    job.leader = admission.call_id;
    return 'local_leader_found';
  }

  private ask(job: SimulatedJob, question: CallQuestion): void {
    const now = this.answerAtOnce(job, question);
    if (now) this.handle(job, now);
    else this.tasks.push({ job, step: this.firstStep(job, question) });
  }

  private answerAtOnce(job: SimulatedJob, question: CallQuestion): CallEvent | undefined {
    const { random } = this.world;
    switch (question) {
      case 'admit':
        return this.admission(job);
      case 'judge':
        return this.judge(job);
      case 'refuse':
        job.refused = true;
        job.verdict = { kind: 'ended', state: 'released' };
        return job.ruling.write ? 'tombstone_needed' : 'verdict_reached';
      case 'confirm_lease':
        if (!this.check() || (this.epoch !== job.epoch && !this.world.planted('starts_under_another_lease'))) return 'lease_missing';
        return job.refused ? 'tombstone_confirmed' : 'lease_confirmed';
      case 'check_approval':
        return random.oneIn(20) ? 'store_unavailable' : 'approval_open';
      case 'pass_gate':
        if (random.oneIn(10)) return 'gate_closed';
        this.readTo(this.world.startOf(job.ruling.call_id));
        if (job.resends > 0) return this.hasEnded(job) ? 'recorded_elsewhere' : 'may_fire';
        if (!(job.cancelled || this.hasEnded(job))) return 'may_fire';
        job.verdict = { kind: 'ended', state: 'released' };
        return 'stopped_before_fire';
      case 'run':
        return this.check() ? undefined : 'lease_missing';
      case 'await_end':
        return job.written ? undefined : 'not_owner';
      default:
        return undefined;
    }
  }

  private judge(job: SimulatedJob): CallEvent {
    if (job.cancelled || this.world.random.oneIn(25)) return 'refused';
    if (this.world.random.oneIn(25)) {
      job.verdict = { kind: 'stricter' };
      return 'verdict_reached';
    }
    return job.ruling.write ? 'may_claim' : 'may_run';
  }

  private firstStep(job: SimulatedJob, question: CallQuestion): Task['step'] {
    switch (question) {
      case 'claim':
        return () => this.claim(job);
      case 'start':
        return () => this.start(job);
      case 'run':
        return this.fire(job);
      case 'finish_result':
        return () => this.settle(job);
      case 'ask_system':
        return () => this.reconcile(job);
      case 'await_end':
        return () => this.sendEnd(job);
      case 'await_durable':
        return () => this.landEnd(job);
      case 'read_answer':
        return () => this.readAnswer(job);
      case 'check_approval_later':
      case 'pause_then_claim':
        return () => 'pause_over';
      default:
        return () => 'retry_due';
    }
  }

  private start(job: SimulatedJob): Task['step'] | CallEvent | undefined {
    if (!this.check()) return 'lease_missing';
    if (job.stage !== 'starting') return undefined;
    const { epoch } = job;
    // A sent append completes, whatever happens to the lease in the meantime.
    return () => {
      this.world.append({ kind: 'started', call_id: job.ruling.call_id, epoch, by: this });
      return () => 'started';
    };
  }

  private fire(job: SimulatedJob): Task['step'] {
    const { world } = this;
    if (job.ruling.write && job.lease !== this.epoch) throw new Error('I12: fired under another lease than that of its claim');
    const { attempt } = job;
    const happen = () => job.ruling.write && world.happen(job.ruling.key, attempt);
    const error = callError('NETWORK_ERROR', 'lost');
    const dice = world.random.below(10);
    const output: RunResult = { kind: 'output', output_json: '1', truncated: false, warnings: [] };
    let result: RunResult = { kind: 'lost', error };
    if (dice < 5) result = output;
    else if (dice < 6) result = { kind: 'refused', error, effect: 'none' };
    if (dice < 5 || (dice > 6 && (dice < 9 || world.recovery.settle_is_final))) happen();
    else if (dice === 9) world.in_flight.push(happen);
    return () => this.answered(job, result);
  }

  private answered(job: SimulatedJob, result: RunResult): CallEvent | undefined {
    if (job.stage !== 'running') {
      if (result.kind !== 'output') return undefined;
      if (job.stage === 'settling' || job.stage === 'resending' || isFinished(job.stage))
        job.verdict = { kind: 'ended', state: 'succeeded' };
      return 'late_result';
    }
    job.result = result;
    return this.world.random.oneIn(6) ? 'result_to_finish' : this.settle(job);
  }

  private settle(job: SimulatedJob): CallEvent {
    const recovery = job.ruling.write ? this.world.recovery : { ...this.world.recovery, write: false, takes_key: true };
    const meaning = meaningOf(job.result as RunResult, recovery, { ...RUN, resends: job.resends, maybe_happened: job.maybe_happened });
    if (meaning.kind === 'resend') {
      job.maybe_happened = meaning.maybe_happened;
      return 'resend_later';
    }
    if (meaning.kind === 'reconcile') return 'settle_later';
    const state = meaning.kind === 'succeeded' || meaning.kind === 'in_doubt' ? meaning.kind : 'released';
    job.verdict = { kind: 'ended', state };
    return 'outcome_known';
  }

  private reconcile(job: SimulatedJob): CallEvent | undefined {
    if (job.stage !== 'settling' || !this.check()) return undefined;
    const happened = (this.world.effects.get(job.ruling.key) ?? 0) > 0;
    const { settle_is_final } = this.world.recovery;
    const owner_dead = job.owner_dead || this.world.planted('counts_too_early');
    const answer = happened
      ? { kind: 'happened' as const, output_json: '1', truncated: false, warnings: [] }
      : { kind: 'did_not_happen' as const };
    const next = afterReconcile(answer, { asks_done: 0, asks_max: 1, owner_dead, settle_is_final, now_ms: 0 });
    const state = next.kind === 'succeeded' ? 'succeeded' : next.kind === 'failed' ? 'released' : 'in_doubt';
    job.verdict = { kind: 'ended', state };
    return 'outcome_known';
  }

  protected writeEnd(job: SimulatedJob): void {
    job.written = this.endOf(job);
  }

  private sendEnd(job: SimulatedJob): Task['step'] | CallEvent | undefined {
    const entry = job.written;
    if (!entry || job.stage !== 'ending') return undefined;
    if (!this.check()) return () => this.sendEnd(job);
    const revision = entry.kind === 'rejudged' ? entry.revision : Number.POSITIVE_INFINITY;
    if (!job.claimed && (this.closed.get(job.ruling.call_id) ?? 0) >= revision) return 'recorded_elsewhere';
    if (!this.assigned && (entry.kind === 'rejudged' || entry.kind === 'deduplicated')) return 'not_owner';
    return 'end_sent';
  }

  /** The append completes, or it fails and must not be repeated because the lease is lost. */
  private landEnd(job: SimulatedJob): Task['step'] | CallEvent | undefined {
    const entry = job.written as Entry;
    const { random } = this.world;
    if (random.oneIn(20) && !this.check()) return 'end_not_written';
    this.noteEnd(entry);
    this.world.append(entry);
    return () => (entry.kind === 'in_doubt' ? 'recorded_in_doubt' : 'recorded');
  }

  /** A second end under another epoch may follow one that was in transit when the lease was lost; readers use the first. */
  private noteEnd(entry: Entry): void {
    if (entry.kind === 'rejudged' || entry.kind === 'started') return;
    const { call_id } = entry;
    const epoch = entry.kind === 'deduplicated' ? null : entry.epoch;
    const before = this.ended.get(call_id);
    if (before !== undefined && (before === null || epoch === null || before === epoch))
      throw new Error(`I5: one process ended ${call_id} twice`);
    this.ended.set(call_id, epoch);
  }

  private endOf(job: SimulatedJob): Entry | undefined {
    const { call_id, revision } = job.ruling;
    const { verdict } = job;
    if (verdict?.kind === 'stricter') return { kind: 'rejudged', call_id, revision, by: this };
    if (verdict?.kind === 'answered') return this.assigned ? { kind: 'deduplicated', call_id, of: verdict.of, by: this } : undefined;
    const state = verdict?.kind === 'ended' ? verdict.state : 'released';
    if (job.epoch === 0) job.epoch = this.epoch;
    return { kind: state === 'in_doubt' ? 'in_doubt' : 'executed', call_id, epoch: job.epoch, state, by: this };
  }

  protected readmit(job: SimulatedJob, next?: SimulatedJob): void {
    const again = new SimulatedJob(job.ruling, null);
    again.sources = job.sources;
    again.cancelled = job.cancelled;
    again.next = next;
    this.handle(again, this.admission(again));
  }
}
