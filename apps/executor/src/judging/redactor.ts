import type { Obligation, Outcome } from '@countersign/contracts';
import { redacted } from '@countersign/policy';
import type { Job } from '../calls/job.js';
import type { Seen } from '../tool-runs/recorded-result.js';

/** Source of the obligations that hide parts of results. */
export interface Redactions {
  redactions(authorised: Job['authorised']): readonly Obligation[];
}

const hidden = (json: string, obligations: readonly Obligation[]): string => JSON.stringify(redacted(JSON.parse(json), obligations));

/** Removes from results what the tenant's rules hide, before they reach the log, the cache or a blob. */
export class Redactor {
  constructor(private readonly rules: Redactions) {}

  outcome(job: Job, outcome: Outcome): Outcome {
    if (outcome.output_json === null) return outcome;
    const obligations = this.rules.redactions(job.readable);
    return obligations.length === 0 ? outcome : { ...outcome, output_json: hidden(outcome.output_json, obligations) };
  }

  seen(job: Job, seen: Seen): Seen {
    if (seen.kind !== 'output' && seen.kind !== 'wrong_shape') return seen;
    const obligations = this.rules.redactions(job.readable);
    if (obligations.length === 0) return seen;
    if (seen.kind === 'wrong_shape') return seen.as_output ? { ...seen, as_output: this.output(seen.as_output, obligations) } : seen;
    return { ...seen, ...this.output(seen, obligations) };
  }

  private output<T extends { output_json: string; full_json?: string }>(seen: T, obligations: readonly Obligation[]): T {
    const { output_json, full_json } = seen;
    const whole = full_json === undefined ? {} : { full_json: hidden(full_json, obligations) };
    return { ...seen, output_json: hidden(output_json, obligations), ...whole };
  }
}
