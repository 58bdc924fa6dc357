import { parseCallId } from '@countersign/contracts';
import { type AnswerTerms, afterLostClaim, answerTerms, type CallEvent, type Execution, type Refusal } from '@countersign/domain';
import type { Clock } from '@countersign/process';
import type { InFlightCalls } from '../calls/in-flight-calls.js';
import type { Job } from '../calls/job.js';
import { refusedOutcome } from '../calls/outcomes.js';
import type { RecentEnd } from '../partitions/partition.js';
import type { Partitions } from '../partitions/partitions.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import type { KeyWindows } from './key-windows.js';

const CLAIMS_MAX = 20;
/** A claim that fails this often although its row is free: its approval was consumed before. */
const CLAIMS_FOR_APPROVAL = 3;

/** The contract terms that determine how long the answer of a call is valid. */
export function termsOf(runtime: Pick<ToolRuns, 'find'>, job: Job): AnswerTerms {
  // The state of the effect that it undid does not affect the validity of its own answer.
  return answerTerms(job.call.key_source, job.call.compensates ? undefined : runtime.find(job)?.contract);
}

/** Decides, by the rows of its key, how a call continues that did not get its row. */
export class ClaimConflicts {
  constructor(
    private readonly partitions: Partitions,
    private readonly open: InFlightCalls,
    private readonly runtime: Pick<ToolRuns, 'find'>,
    private readonly windows: KeyWindows,
    private readonly clock: Clock,
  ) {}

  /** `epoch`: of the lost claim. */
  decide(job: Job, stored: readonly Execution[], epoch: number): CallEvent {
    if (job.resource_busy) return this.busy(job);
    if (job.second_key_taken) return this.refuse(job, 'edited_effect_taken');
    const rows = this.newest(job, stored);
    const next = afterLostClaim(
      {
        terms: termsOf(this.runtime, job),
        call_id: job.call_id,
        discriminating_digest: job.call.discriminating_digest,
        requested_at_ms: job.call.requested_at_ms,
        window_ms: this.windows.of(job),
        epoch,
        unanswered_epoch: job.unanswered_epoch,
        joined_call_id: job.authorised.joined_call_id,
      },
      rows,
    );
    switch (next.kind) {
      case 'won':
        return this.won(job, next.attempt, epoch);
      case 'tombstoned':
        job.attempt = next.attempt;
        job.claimed = true;
        job.refusal ??= { why: 'expired', issues: [] };
        return this.refuse(job, job.refusal.why);
      case 'ended':
      case 'owned_elsewhere':
        return 'owned_elsewhere';
      case 'attempt':
        job.window_over = next.window_over === true;
        return this.claimAgain(job, next.attempt);
      case 'answer_gone':
        return 'answer_lost_its_effect';
      case 'refuse':
        return this.refuse(job, next.why);
    }
    if (job.refusal) return this.refuse(job, job.refusal.why);
    if (next.kind === 'join') return this.join(job, next.call_id);
    const { kind, call_id, attempt, end_offset } = next;
    job.answering = { kind, call_id, attempt, end_offset, row: rows.find((row) => row.call_id === call_id) };
    return 'answer_recorded';
  }

  /** Adds attempts that ended recently and may not be in their rows yet. An effect that was undone stays undone. */
  private newest(job: Job, rows: readonly Execution[]): Execution[] {
    const partition = this.partitions.of(job);
    return rows.map((row) => {
      const end = partition.endOf(row.call_id);
      return end && row.state !== 'compensated' && this.describes(end, row) ? { ...row, ...end } : row;
    });
  }

  /** An end that names another attempt is not the end of this row: not once the row has its own, and not while its call is sent again here. */
  private describes(end: RecentEnd, row: Execution): boolean {
    if (end.row_attempt === undefined || end.row_attempt === row.attempt) return true;
    return row.state === 'running' && !this.open.ofCall(row.call_id);
  }

  private won(job: Job, attempt: number, epoch: number): CallEvent {
    job.attempt = attempt;
    job.epoch = epoch;
    job.claimed = true;
    return 'claim_won';
  }

  private refuse(job: Job, why: Refusal): CallEvent {
    const issues = job.refusal?.why === why ? job.refusal.issues : [];
    job.verdict = { kind: 'ended', outcome: refusedOutcome(job, why, issues, this.clock.now_ms()) };
    return 'verdict_reached';
  }

  claimAgain(job: Job, attempt: number): CallEvent {
    if (job.authorised.approval_id !== null && job.attempt === attempt && job.claims >= CLAIMS_FOR_APPROVAL)
      return this.refuse(job, 'approval_used');
    job.attempt = attempt;
    if (++job.claims <= CLAIMS_MAX) return 'claim_again';
    job.claims = 0;
    return 'claims_exhausted';
  }

  join(job: Job, call_id: string): CallEvent {
    job.leader_call_id = call_id;
    const leader = this.open.ofCall(call_id);
    if (leader && leader !== job && leader.stage !== 'joined' && leader.stage !== 'awaiting_remote') return 'local_leader_found';
    return parseCallId(call_id)?.partition === job.partition ? 'remote_leader_found' : 'distant_leader_found';
  }

  /** An effect that ended here is in its row after the first pause; a running one needs more pauses. */
  private busy(job: Job): CallEvent {
    job.resource_busy = false;
    if (job.busy_pause_ms > 0) return 'resources_busy';
    job.busy_pause_ms = 1;
    return 'claim_again';
  }
}
