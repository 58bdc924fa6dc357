import type { Outcome } from '@countersign/contracts';
import type { CallEvent } from '@countersign/domain';
import type { Job } from '../calls/job.js';
import type { EarlierAnswer } from '../calls/verdict.js';
import type { CircuitReporter } from '../circuits/circuit-reporter.js';
import type { ClosedApprovals } from '../claims/closed-approvals.js';
import { deprecationOf } from '../judging/deprecation.js';
import type { OwnConfiguration } from '../judging/judge.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { OutcomeRecorder } from '../recording/outcome-recorder.js';
import type { CallSpans } from '../running/call-spans.js';
import type { ToolTallies } from '../tallies/tool-tallies.js';

const RESOURCE_IN_DOUBT =
  'resource_in_doubt: an earlier effect on the same resource has an unknown outcome; it may still happen, or may have happened after this one';

/** Statuses without information about the effect: repeats of the key do not get this answer. */
const OWN_END = new Set<Outcome['status']>(['cancelled', 'expired']);

/** Dependencies that add further data to an end. */
export interface EndStepParts {
  configuration: OwnConfiguration;
  decryptor: PersonalDataDecryptor;
  spans: CallSpans;
  tools: ToolTallies;
  circuits: CircuitReporter;
}

/** Ends a call: checks its approval, writes its end and releases its resources. */
export class EndStep {
  constructor(
    private readonly ends: OutcomeRecorder,
    private readonly approvals: ClosedApprovals,
    private readonly around: EndStepParts,
  ) {}

  checkApproval(job: Job): CallEvent | Promise<CallEvent> {
    return this.approvals.check(job);
  }

  checkApprovalLater(): Promise<CallEvent> {
    return this.approvals.later();
  }

  /** Adds warnings for callers, and encrypts personal data. */
  seal(job: Job): void {
    if (job.verdict?.kind !== 'ended') return;
    const { configuration, decryptor, spans } = this.around;
    const { outcome } = job.verdict;
    const warning = deprecationOf(configuration.state, job);
    if (warning !== undefined) outcome.warnings.push(warning);
    if (job.resource_in_doubt) outcome.warnings.push(RESOURCE_IN_DOUBT);
    const sealed = decryptor.outcome(job, outcome);
    spans.ending(job, sealed);
    job.verdict = { kind: 'ended', outcome: sealed };
  }

  write(job: Job): void {
    this.ends.write(job);
  }

  sent(job: Job): CallEvent | Promise<CallEvent> {
    return this.ends.sent(job);
  }

  durable(job: Job): Promise<CallEvent> {
    return this.ends.durable(job);
  }

  book(job: Job): void {
    this.ends.book(job);
  }

  foldRecorded(job: Job): void {
    this.ends.foldRecorded(job);
  }

  closeAccounts(job: Job): void {
    const outcome =
      job.verdict?.kind === 'ended' ? job.verdict.outcome : job.verdict?.kind === 'answered' ? job.verdict.earlier.outcome : undefined;
    this.around.spans.end(job, outcome);
    if (!outcome || job.started_at_ms === 0) return;
    this.around.tools.ended(job, outcome);
    if (job.verdict?.kind === 'ended') this.around.circuits.ended(job, outcome);
  }

  /** The answer for later calls of its key; undefined: they run on their own. */
  answerOf({ call_id, attempt, verdict }: Job): EarlierAnswer | undefined {
    if (verdict?.kind === 'answered') return verdict.earlier;
    if (verdict?.kind !== 'ended' || OWN_END.has(verdict.outcome.status)) return undefined;
    return { call_id, attempt, outcome: verdict.outcome, because: 'live_key', effect_now: null };
  }
}
