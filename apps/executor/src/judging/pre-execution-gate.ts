import { callError, type Outcome } from '@countersign/contracts';
import { type CallEvent, tooLate } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { Job } from '../calls/job.js';
import { outcomeOf, refusedOutcome } from '../calls/outcomes.js';
import type { Partitions } from '../partitions/partitions.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { Judge } from './judge.js';
import type { RecordHold } from './record-hold.js';

/**
 * A call that was checked under the same configuration this recently is not checked again: only rules about time could decide otherwise.
 */
const FRESH_MS = 1000;

type GateEvent = Extract<CallEvent, 'gate_closed' | 'may_fire' | 'stopped_before_fire' | 'recorded_elsewhere' | 'lease_lost'>;

/**
 * The gate between a durable start and the effect. Appending a start may take long; meanwhile the authorization may expire or the policy
 * may become stricter. The gate holds a call while the policy is stale, while the tenant's record is damaged, or until earlier records of
 * other processes are read; it opens later, or the call ends because it is too late or cancelled. A previous owner of the partition may
 * still end the call without a row: the first end on the log counts.
 */
export class PreExecutionGate {
  private readonly held = new Set<Job>();

  constructor(
    private readonly judge: Judge,
    private readonly parts: { runtime: ToolRuns; decryptor: Pick<PersonalDataDecryptor, 'isErased'>; hold: Pick<RecordHold, 'holds'> },
    private readonly partitions: Partitions,
    private readonly clock: Clock,
  ) {}

  /** Synchronous, unless other processes wrote before its start: then once that is read. */
  pass(job: Job): GateEvent | Promise<GateEvent | undefined> {
    const known = this.partitions.of(job).startKnown(job.call_id);
    return known ? known.then(() => (job.stage === 'gated' ? this.decide(job) : undefined)) : this.decide(job);
  }

  /**
   * A call whose effect may have happened is sent again to learn its outcome: only one that certainly had none can end without one. If the
   * previous owner of a call that is sent again ended its row meanwhile, that end counts and nothing is sent.
   */
  private decide(job: Job): GateEvent {
    if (this.startedLater(job)) return 'lease_lost';
    if (job.resends > 0 && this.partitions.of(job).rowHasEnded(job)) return 'recorded_elsewhere';
    if (this.waits(job) && !this.isDue(job)) return 'gate_closed';
    const refusal = job.maybe_happened ? undefined : this.changed(job, this.clock.now_ms());
    if (!refusal) return this.waits(job) ? 'gate_closed' : 'may_fire';
    job.verdict = { kind: 'ended', outcome: refusal };
    return 'stopped_before_fire';
  }

  /** True if another executor, of a later epoch, has started the call: it took it over. */
  private startedLater(job: Job): boolean {
    return (this.partitions.of(job).starts.get(job.call_id)?.epoch ?? 0) > job.epoch;
  }

  /** `due` checks it again before it runs. */
  hold(job: Job): void {
    this.held.add(job);
  }

  /** Held calls that may run now, or no longer. */
  due(): Job[] {
    if (this.held.size === 0) return [];
    const due = [...this.held].filter((job) => !this.waits(job) || job.stage !== 'gated' || this.isDue(job));
    for (const job of due) this.held.delete(job);
    return due.filter((job) => job.stage === 'gated');
  }

  /** True while the policy is stale, or the tenant's record is damaged. */
  private waits(job: Job): boolean {
    return this.judge.silent || this.parts.hold.holds(job.tenant_id);
  }

  /** True if a held call without an effect is too late or cancelled, or if the row of one that is sent again has ended. */
  private isDue(job: Job): boolean {
    if (job.resends > 0 && this.partitions.of(job).rowHasEnded(job)) return true;
    return !job.maybe_happened && this.late(job, this.clock.now_ms()) !== null;
  }

  /** Checks deadlines for every call, and the policy only if its decision may have changed. */
  private changed(job: Job, now_ms: number): Outcome | undefined {
    const fresh = job.judged_position === this.judge.position && now_ms - job.judged_at_ms < FRESH_MS;
    return fresh && !this.late(job, now_ms) ? undefined : this.refusalOf(job);
  }

  private late(job: Job, now_ms: number): 'cancelled' | 'expired' | 'deadline' | null {
    if (job.cancelled || this.partitions.of(job).endOf(job.call_id)) return 'cancelled';
    return tooLate({ execute_before_ms: job.authorised.execute_before_ms, deadline_ms: job.call.deadline_ms }, now_ms);
  }

  /** The end of a call that had no effect and may not run (again), by everything known now. */
  refusalOf(job: Job): Outcome | undefined {
    const now_ms = this.clock.now_ms();
    const late = this.late(job, now_ms);
    if (late) return refusedOutcome(job, late, [], now_ms);
    if (this.parts.decryptor.isErased(job)) return refusedOutcome(job, 'subject_erased', [], now_ms);
    const unrunnable = this.parts.runtime.unrunnable(job);
    if (unrunnable) return refusedOutcome(job, unrunnable.why, unrunnable.issues, now_ms);
    if (this.judge.judgeNoted(job, now_ms).kind === 'allowed') return undefined;
    const error = callError('POLICY_DENIED', 'policy became stricter after the decision; nothing was done');
    return outcomeOf(job, { status: 'failed', error, effect: 'none' }, now_ms);
  }
}
