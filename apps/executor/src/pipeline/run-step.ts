import type { Outcome } from '@countersign/contracts';
import type { CallEvent } from '@countersign/domain';
import type { Logger } from '@countersign/process';
import type { Job } from '../calls/job.js';
import type { Lease } from '../lease/lease.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { OutcomeRecorder } from '../recording/outcome-recorder.js';
import type { Resolutions } from '../recording/resolutions.js';
import type { CallRunner } from '../running/call-runner.js';
import type { CallSpans } from '../running/call-spans.js';

/** Dependencies that follow a run. */
export interface RunStepParts {
  spans: CallSpans;
  lease: Lease;
  decryptor: PersonalDataDecryptor;
  logger: Pick<Logger, 'error'>;
}

/** Runs a call and handles its result, also if the result comes late. */
export class RunStep {
  constructor(
    private readonly runs: CallRunner,
    private readonly ends: OutcomeRecorder,
    private readonly resolutions: Resolutions,
    private readonly around: RunStepParts,
  ) {}

  beginSpan(job: Job): void {
    this.around.spans.begin(job);
  }

  noteEpoch(job: Job): void {
    job.epoch = this.around.lease.epoch;
  }

  run(job: Job): CallEvent | Promise<CallEvent | undefined> {
    return this.runs.run(job);
  }

  finish(job: Job): Promise<CallEvent | undefined> {
    return this.runs.finish(job);
  }

  ask(job: Job): Promise<CallEvent | undefined> {
    return this.runs.ask(job);
  }

  awaitDue(job: Job): void {
    this.runs.awaitDue(job);
  }

  cancel(job: Job): void {
    this.runs.cancel(job);
  }

  drop(job: Job): void {
    this.runs.drop(job, 'lease_lost');
  }

  complete(job: Job): void {
    this.runs.complete(job, outcomeOf(job));
  }

  broken(job: Job, cause: unknown): CallEvent | undefined {
    return this.runs.broken(job, cause);
  }

  /** Its late result resolves its doubt, or is evidence if a person resolved it. */
  resolveDoubt(job: Job): void {
    this.report(this.lateResult(job, this.sealed(job)));
  }

  private async lateResult(job: Job, outcome: Outcome): Promise<void> {
    if (!(await this.resolutions.byLateResult(job, outcome))) await this.ends.evidence(job, outcome);
  }

  /** Records its late result as evidence after its lease was lost. */
  recordEvidence(job: Job): void {
    this.report(this.ends.evidence(job, this.sealed(job)));
  }

  private sealed(job: Job): Outcome {
    return this.around.decryptor.outcome(job, outcomeOf(job));
  }

  private report(writing: Promise<void>): void {
    writing.catch((cause) =>
      this.around.logger.error({ event: 'evidence_not_written', cause: String(cause) }, 'evidence could not be written'),
    );
  }
}

function outcomeOf({ verdict }: Job): Outcome {
  if (verdict?.kind !== 'ended') throw new Error('a run without an outcome');
  return verdict.outcome;
}
