import { defaultTier, type EffectNow, isKeyOfRequest, type Outcome, parseCallId } from '@countersign/contracts';
import { type AnswerTerms, type CallEvent, type EffectSeen, standsAsSeen } from '@countersign/domain';
import type { Answering, Job } from '../calls/job.js';
import type { EarlierAnswer } from '../calls/verdict.js';
import type { EndsReader } from '../partitions/ends-reader.js';
import type { Partitions } from '../partitions/partitions.js';
import type { EffectChecks } from '../resources/effect-checks.js';
import type { EffectLook } from '../tool-runs/finishing.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';
import { type ClaimConflicts, termsOf } from './claim-conflicts.js';

/** What a repeat of the same request learns about the effect; null if the state of its resources determines it when they are read. */
function effectSeen(seen: EffectSeen | undefined, { names }: AnswerTerms): EffectNow | null {
  if (seen === undefined || (seen === 'not_asked' && names !== 'nothing')) return null;
  return seen === 'there' ? 'stands' : 'unknown';
}

/** The earlier outcome, with what the tool remarked when it looked at the effect again. */
const remarked = (outcome: Outcome, look: EffectLook | undefined): Outcome =>
  look?.remark === undefined || outcome.warnings.includes(look.remark)
    ? outcome
    : { ...outcome, warnings: [...outcome.warnings, look.remark] };

/** Dependencies for reading and checking earlier answers. */
export interface AnswerParts {
  reader: EndsReader;
  partitions: Partitions;
  runtime: Pick<ToolRuns, 'find'>;
  checks: EffectChecks;
}

/** Reads the outcome of an earlier call that answers, and lets its tool check whether the effect still exists. */
export class EarlierAnswers {
  constructor(
    private readonly parts: AnswerParts,
    private readonly conflicts: ClaimConflicts,
  ) {}

  async read(job: Job): Promise<CallEvent | undefined> {
    const answering = job.answering as Answering;
    // The tool reconciles with the key of that attempt.
    job.attempt = answering.attempt;
    try {
      const outcome = await this.outcomeOf(job, answering);
      if (job.stage !== 'reading_answer') return undefined;
      if (!outcome) return this.conflicts.join(job, answering.call_id);
      return answering.kind === 'verify' ? await this.verify(job, answering, outcome) : await this.answer(job, answering, outcome);
    } catch {
      // The log is unavailable: looks up the same answer again.
      return 'claim_again';
    }
  }

  /** The earlier call cannot answer: the policy service decides again. */
  staleAnswer(job: Job): CallEvent {
    const contract = this.parts.runtime.find(job)?.contract;
    job.verdict = { kind: 'answer_gone', tier: contract ? defaultTier(contract) : 'tier_2_approval_required' };
    return 'verdict_reached';
  }

  private async outcomeOf(job: Job, { call_id, end_offset }: Answering): Promise<Outcome | undefined> {
    if (end_offset === null) return undefined;
    const { reader, partitions } = this.parts;
    return reader.outcomeAt(partitions.get(job.lane, parseCallId(call_id)?.partition ?? job.partition), end_offset);
  }

  private async answer(job: Job, { call_id, attempt, row }: Answering, outcome: Outcome): Promise<CallEvent> {
    const terms = termsOf(this.parts.runtime, job);
    const because = row?.state !== 'succeeded' ? 'live_key' : isKeyOfRequest(terms.key_source) ? 'same_request' : 'effect_stands';
    // The state of its resources is read with the result. A tool with a read-back checks the effect unless the resources rule it out.
    const looks = because === 'same_request' && terms.has_verify && row?.stands !== false;
    const look = looks ? await this.parts.checks.look(job, outcome) : undefined;
    const effect_now = because === 'effect_stands' ? 'stands' : effectSeen(look?.seen, terms);
    return this.answered(job, { call_id, attempt, outcome: remarked(outcome, look), because, effect_now });
  }

  /** The tool reads back whether the effect still exists. If it does not, this call is a new effect. */
  private async verify(job: Job, { call_id, attempt }: Answering, outcome: Outcome): Promise<CallEvent> {
    const look = await this.parts.checks.look(job, outcome);
    const { seen } = look;
    const effect_now = seen === 'cannot_tell' ? 'unknown' : 'stands';
    if (standsAsSeen(seen, termsOf(this.parts.runtime, job).names))
      return this.answered(job, { call_id, attempt, outcome: remarked(outcome, look), because: 'effect_stands', effect_now });
    if (job.authorised.joined_call_id !== null) return 'answer_lost_its_effect';
    // Its resources still show the effect, so the claim must ignore them.
    job.window_over = true;
    return this.conflicts.claimAgain(job, attempt + 1);
  }

  private answered(job: Job, earlier: EarlierAnswer): CallEvent {
    job.verdict = { kind: 'answered', earlier };
    return 'verdict_reached';
  }
}
