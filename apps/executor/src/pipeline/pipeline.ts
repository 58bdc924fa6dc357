import { afterEvent, type CallEffect, type CallEvent, type CallQuestion, type Step } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Job } from '../calls/job.js';
import type { JobEvent } from '../calls/job-event.js';
import type { Verdict } from '../calls/verdict.js';
import type { Dispatcher } from '../scheduling/dispatcher.js';
import type { ClaimStep } from './claim-step.js';
import type { EndStep } from './end-step.js';
import type { PrepareStep } from './prepare-step.js';
import type { RunStep } from './run-step.js';
import type { StartStep } from './start-step.js';

/** The steps of the pipeline, in call order. */
export interface PipelineSteps {
  prepare: PrepareStep;
  judge: Dispatcher;
  claim: ClaimStep;
  start: StartStep;
  run: RunStep;
  end: EndStep;
}

type Answer = CallEvent | undefined;
type Questions = Readonly<Record<CallQuestion, (job: Job) => Answer | Promise<Answer>>>;
type Effects = Readonly<Record<CallEffect, (job: Job) => void>>;
/** Effects on other calls. */
type EffectOnOthers =
  | 'adopt'
  | 'answer_joiners'
  | 'readmit_joiners'
  | 'revoke_joiners'
  | 'move_joiners'
  | 'readmit_next'
  | 'readmit_unclaimed'
  | 'close_accounts';

function questionsTo({ prepare, judge, claim, start, run, end }: PipelineSteps): Questions {
  return {
    admit: (job) => prepare.admission(job),
    judge: (job) => judge.judge(job),
    refuse: (job) => judge.refuse(job),
    claim: (job) => claim.claim(job),
    confirm_lease: (job) => claim.confirmLease(job),
    fold_then_claim: () => claim.foldThenClaim(),
    pause_then_claim: () => claim.pauseThenClaim(),
    read_answer: (job) => claim.readAnswer(job),
    fold: (job) => claim.fold(job),
    check_approval: (job) => end.checkApproval(job),
    check_approval_later: () => end.checkApprovalLater(),
    start: (job) => start.start(job),
    pass_gate: (job) => start.pass(job),
    run: (job) => run.run(job),
    finish_result: (job) => run.finish(job),
    ask_system: (job) => run.ask(job),
    await_end: (job) => end.sent(job),
    await_durable: (job) => end.durable(job),
  };
}

function effectsOf({ prepare, judge, start, run, end }: PipelineSteps): Omit<Effects, EffectOnOthers> {
  return {
    open: (job) => prepare.openCall(job, false),
    open_as_leader: (job) => prepare.openCall(job, job.write),
    remove: (job) => prepare.remove(job),
    acknowledge: (job) => prepare.acknowledge(job),
    merge_with_open: (job) => prepare.merge(job),
    join_leader: (job) => prepare.joinLeader(job),
    leave_leader: (job) => prepare.leaveLeader(job),
    await_remote: (job) => prepare.awaitRemote(job),
    enqueue: (job) => judge.enqueue(job),
    withdraw: (job) => judge.withdraw(job),
    park: (job) => judge.park(job),
    release_slot: (job) => judge.release(job),
    begin_span: (job) => run.beginSpan(job),
    note_epoch: (job) => run.noteEpoch(job),
    hold: (job) => start.hold(job),
    await_due: (job) => run.awaitDue(job),
    abort_run: (job) => run.cancel(job),
    drop_run: (job) => run.drop(job),
    complete_run: (job) => run.complete(job),
    seal_outcome: (job) => end.seal(job),
    resolve_doubt: (job) => run.resolveDoubt(job),
    record_evidence: (job) => run.recordEvidence(job),
    write_end: (job) => end.write(job),
    book_end: (job) => end.book(job),
    fold_end: (job) => end.foldRecorded(job),
  };
}

/**
 * Drives calls from their decision to their end, by the table `callLife`: an event determines the next stage, the effects and the
 * question; the answer to the question is the next event. Only this class changes the stage of a call.
 */
export class Pipeline {
  private readonly questions: Questions;
  private readonly effects: Effects;

  constructor(
    private readonly steps: PipelineSteps,
    private readonly logger: Pick<Logger, 'error'>,
  ) {
    this.questions = questionsTo(steps);
    this.effects = { ...effectsOf(steps), ...this.effectsOnOthers() };
  }

  /** `verdict`: how the event ends the call, unless it comes too late. */
  handle(job: Job, event: CallEvent, verdict?: Verdict): void {
    const step = this.stepOf(job, event);
    if (!step) return;
    if (verdict) job.verdict = verdict;
    job.enter(step.to);
    for (const effect of step.effects) this.effects[effect](job);
    if (step.ask) this.follow(job, step.ask);
  }

  /** As `handle`; an error ends only the call that it happens to. */
  handleGuarded({ job, event, verdict }: JobEvent): void {
    try {
      this.handle(job, event, verdict);
    } catch (cause) {
      this.failed(job, cause);
    }
  }

  handleAll(jobEvents: Iterable<JobEvent>): void {
    for (const jobEvent of jobEvents) this.handleGuarded(jobEvent);
  }

  private stepOf(job: Job, event: CallEvent): Step | undefined {
    try {
      return afterEvent(job.stage, event);
    } catch (cause) {
      this.logger.error(
        { event: 'unexpected_call_event', call_id: job.call_id, cause: String(cause) },
        'an event does not match the state of its call',
      );
      return undefined;
    }
  }

  private follow(job: Job, question: CallQuestion): void {
    const answer = this.questions[question](job);
    if (answer instanceof Promise)
      answer.then((event) => event && this.handleGuarded({ job, event })).catch((cause) => this.failed(job, cause));
    else if (answer) this.handle(job, answer);
  }

  private failed(job: Job, cause: unknown): void {
    const event = this.steps.run.broken(job, cause);
    try {
      if (event) this.handle(job, event);
    } catch (again) {
      this.steps.run.broken(job, again);
    }
  }

  private effectsOnOthers(): Pick<Effects, EffectOnOthers> {
    return {
      adopt: (job) => this.adopt(job),
      answer_joiners: (job) => this.answerJoiners(job),
      readmit_joiners: (job) => this.readmitJoiners(job),
      revoke_joiners: (job) => this.revokeJoiners(job),
      move_joiners: (job) => this.moveJoiners(job),
      readmit_next: (job) => this.readmitNext(job),
      readmit_unclaimed: (job) => this.readmitUnclaimed(job),
      close_accounts: (job) => this.closeAccounts(job),
    };
  }

  /** Replaces the open call of the same id: it must not find the taken-over row and mistake it for its own. */
  private adopt(job: Job): void {
    const known = this.steps.prepare.replacedBy(job);
    if (known) this.handle(known, 'replaced');
    this.steps.prepare.adopt(job, known);
  }

  private answerJoiners(job: Job): void {
    const earlier = this.steps.end.answerOf(job);
    if (earlier) for (const joiner of takeJoiners(job)) this.handle(joiner, 'leader_answered', { kind: 'answered', earlier });
  }

  private readmitJoiners(job: Job): void {
    for (const joiner of takeJoiners(job)) this.handle(joiner, 'leader_left');
  }

  private revokeJoiners(job: Job): void {
    for (const joiner of takeJoiners(job)) this.handle(joiner, 'revoked');
  }

  private moveJoiners(job: Job): void {
    const event =
      job.stage === 'joined' ? 'local_leader_found' : job.stage === 'awaiting_remote' ? 'remote_leader_found' : 'distant_leader_found';
    for (const joiner of takeJoiners(job)) {
      joiner.leader_call_id = job.leader_call_id;
      this.handle(joiner, event);
    }
  }

  private readmitNext({ next }: Job): void {
    if (!next) return;
    const again = this.steps.prepare.fresh(next);
    again.next = next.next;
    this.admit(again);
  }

  /** The successor takes over the row of a claimed write; a tombstone is settled only by the process that reads its decision again. */
  private readmitUnclaimed(job: Job): void {
    if (job.claimed && !job.refusal) this.steps.prepare.acknowledge(job);
    else this.admit(this.steps.prepare.fresh(job));
  }

  private admit(job: Job): void {
    this.handle(job, this.steps.prepare.admission(job));
  }

  private closeAccounts(job: Job): void {
    this.steps.end.closeAccounts(job);
    this.steps.judge.release(job);
    if (job.resources !== null) this.steps.judge.wakeParked();
  }
}

function takeJoiners(job: Job): Job[] {
  const joiners = job.joiners ?? [];
  job.joiners = undefined;
  return joiners;
}
