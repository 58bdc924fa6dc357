import { type EffectNow, type Outcome, parseCallId } from '@countersign/contracts';
import { type AnswerTerms, afterLostClaim, type EffectSeen, type Execution, standsAsSeen } from '@countersign/domain';
import type { Partitions } from '../partitions/partitions.js';
import type { EarlierAnswer } from './event-writer.js';
import type { Job } from './job.js';
import type { OpenCalls } from './open-calls.js';

/** What a claim that got no row leads to. */
export interface LostClaimSteps {
  won(job: Job): void;
  claimAgain(job: Job): void;
  deduplicate(job: Job, earlier: EarlierAnswer): void;
  /** Another effect on its resources runs. */
  park(job: Job): void;
  /** It may only be answered, and its answer does not stand any more. */
  answerGone(job: Job): void;
  /** What the contract of its tool says of settled keys. */
  termsOf(job: Job): AnswerTerms;
  /** What its tool says of the effect of an earlier call. Never rejects. */
  look(job: Job, outcome: Outcome): Promise<EffectSeen>;
  refused(job: Job, why: 'key_reused' | 'nothing_to_join' | 'edited_effect_taken'): void;
  /** Its approval cannot be taken: another call used it, or it ended without a grant. */
  withoutApproval(job: Job): void;
  /** It will not fire and its end is still to be written. `claimed`: the tombstone is its own row. */
  tombstoned(job: Job, claimed: boolean): void;
  /** Nothing more to do here for this call. */
  leave(job: Job): void;
  readmit(jobs: readonly Job[]): void;
  epoch(): number;
  /** How long a settled key answers this call, ms. */
  windowOf(job: Job): number;
  /** The end of a call as it stands in its own partition. */
  outcomeAt(job: Job, call_id: string, end_offset: number): Promise<Outcome | undefined>;
  /** It runs nothing itself. */
  release(job: Job): void;
}

/** The earlier call of a key that answers, and where its end stands. */
interface Answering {
  call_id: string;
  attempt: number;
  end_offset: number | null;
}

const CLAIMS_MAX = 20;
const LOOK_AGAIN_MS = 250;
/** A claim whose row is free and that still gets none, this often: its approval was consumed before. */
const CLAIMS_FOR_APPROVAL = 3;

/** What the answer to a repeat of the same request says of the effect; null: its resources say it when they are read. */
function effectSeen(seen: EffectSeen | undefined, { names }: AnswerTerms): EffectNow | null {
  if (seen === undefined || (seen === 'not_asked' && names !== 'nothing')) return null;
  return seen === 'there' ? 'stands' : 'unknown';
}

/** Finds out, from the rows of its key, what becomes of a call that did not get its row. */
export class LostClaims {
  steps!: LostClaimSteps;

  constructor(
    private readonly partitions: Partitions,
    private readonly open: OpenCalls,
  ) {}

  handle(job: Job, stored: readonly Execution[]) {
    if (job.resource_busy) return this.waitForResources(job);
    if (job.second_key_taken) return this.steps.refused(job, 'edited_effect_taken');
    const rows = this.newest(job, stored);
    const terms = this.steps.termsOf(job);
    const next = afterLostClaim(
      {
        terms,
        call_id: job.call_id,
        discriminating_digest: job.call.discriminating_digest,
        requested_at_ms: job.call.requested_at_ms,
        window_ms: this.steps.windowOf(job),
        epoch: this.steps.epoch(),
        unanswered_epoch: job.unanswered_epoch,
        joined_call_id: job.authorised.joined_call_id,
      },
      rows,
    );
    switch (next.kind) {
      case 'won':
        job.attempt = next.attempt;
        return this.steps.won(job);
      case 'tombstoned':
        job.attempt = next.attempt;
        return this.steps.tombstoned(job, true);
      case 'ended':
      case 'owned_elsewhere':
        return this.leave(job);
      case 'attempt':
        job.window_over = next.window_over === true;
        return this.again(job, next.attempt);
      case 'join':
        return job.refusal ? this.steps.tombstoned(job, false) : this.join(job, next.call_id);
      case 'answer':
        return job.refusal ? this.steps.tombstoned(job, false) : this.answer(job, next, rows, terms);
      case 'verify':
        return job.refusal ? this.steps.tombstoned(job, false) : this.verify(job, next, terms);
      case 'answer_gone':
        return this.steps.answerGone(job);
      case 'refuse':
        return this.steps.refused(job, next.why);
    }
  }

  /** What ended lately may not be in its row yet. */
  private newest(job: Job, rows: readonly Execution[]): Execution[] {
    const partition = this.partitions.of(job);
    return rows.map((row) => {
      const end = partition.endOf(row.call_id);
      return end ? { ...row, ...end } : row;
    });
  }

  private again(job: Job, attempt: number) {
    if (job.authorised.approval_id !== null && job.attempt === attempt && job.claims >= CLAIMS_FOR_APPROVAL)
      return this.steps.withoutApproval(job);
    job.attempt = attempt;
    if (++job.claims > CLAIMS_MAX) {
      job.claims = 0;
      return this.steps.readmit([job]);
    }
    this.steps.claimAgain(job);
  }

  /** It does nothing more here; who joined it is looked at again. */
  leave(job: Job) {
    const joiners = job.joiners ?? [];
    job.joiners = undefined;
    this.steps.leave(job);
    if (joiners.length > 0) this.steps.readmit(joiners);
  }

  private join(job: Job, call_id: string) {
    const group = [job, ...(job.joiners ?? [])];
    job.joiners = undefined;
    this.steps.release(job);
    const leader = this.open.ofCall(call_id);
    if (leader && leader !== job && leader.stage !== 'joined') for (const each of group) this.open.join(leader, each);
    else if (parseCallId(call_id)?.partition === job.partition) this.waitForForeign(call_id, group);
    else this.lookAgain(group);
  }

  /**
   * The call that holds the key of edited inputs belongs to another partition, whose ends may be read elsewhere: its row
   * tells them.
   */
  private lookAgain(jobs: readonly Job[]) {
    for (const job of jobs) {
      job.stage = 'looking_up';
      setTimeout(() => job.stage === 'looking_up' && this.steps.claimAgain(job), LOOK_AGAIN_MS).unref();
    }
  }

  /** Another executor runs it: its end is read from the log. */
  waitForForeign(call_id: string, jobs: readonly Job[]) {
    for (const job of jobs) {
      job.stage = 'joined';
      const { foreign } = this.partitions.of(job);
      const waiting = foreign.get(call_id);
      if (waiting) waiting.push(job);
      else foreign.set(call_id, [job]);
    }
  }

  /** An effect that ended here is in its row after this; one that still runs is waited for. */
  private waitForResources(job: Job) {
    job.resource_busy = false;
    if (job.busy_pause_ms === 0) {
      job.busy_pause_ms = 1;
      this.steps.claimAgain(job);
    } else this.steps.park(job);
  }

  private answer(job: Job, { call_id, end_offset, attempt }: Answering, rows: readonly Execution[], terms: AnswerTerms) {
    const row = rows.find((one) => one.call_id === call_id);
    const because = row?.state !== 'succeeded' ? 'live_key' : terms.key_source === 'header' ? 'same_request' : 'effect_stands';
    // What its resources say is read with the answer; a tool that can look is asked where they do not say that the effect is gone.
    const looks = because === 'same_request' && terms.has_verify && row?.stands !== false;
    this.withOutcome(job, { call_id, end_offset, attempt }, async (outcome) => {
      const seen = looks ? await this.steps.look(job, outcome) : undefined;
      const effect_now = because === 'effect_stands' ? 'stands' : effectSeen(seen, terms);
      if (job.stage === 'looking_up') this.steps.deduplicate(job, { call_id, attempt, outcome, because, effect_now });
    });
  }

  /** Its tool is asked whether the effect is still there. Where the answer does not stand, this is a new effect. */
  private verify(job: Job, { call_id, end_offset, attempt }: Answering, terms: AnswerTerms) {
    this.withOutcome(job, { call_id, end_offset, attempt }, async (outcome) => {
      const seen = await this.steps.look(job, outcome);
      if (job.stage !== 'looking_up') return;
      const effect_now = seen === 'cannot_tell' ? 'unknown' : 'stands';
      if (standsAsSeen(seen, terms.names)) this.steps.deduplicate(job, { call_id, attempt, outcome, because: 'effect_stands', effect_now });
      else if (job.authorised.joined_call_id !== null) this.steps.answerGone(job);
      else {
        // Its resources still say that it stands: the claim must not go by them.
        job.window_over = true;
        this.again(job, attempt + 1);
      }
    });
  }

  private withOutcome(job: Job, { call_id, end_offset, attempt }: Answering, then: (outcome: Outcome) => Promise<void>) {
    job.stage = 'looking_up';
    // Its tool is asked about the key of that attempt.
    job.attempt = attempt;
    if (end_offset === null) return this.join(job, call_id);
    this.steps
      .outcomeAt(job, call_id, end_offset)
      .then((outcome) => (outcome ? then(outcome) : this.join(job, call_id)))
      // the log is unavailable: the same answer is looked up again
      .catch(() => this.steps.claimAgain(job));
  }
}
