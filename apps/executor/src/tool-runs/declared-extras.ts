import { extrasOf, type Outcome, type OutcomeExtras, type ToolContract } from '@countersign/contracts';
import type { Job } from '../calls/job.js';

/** The declared members that a contract adds to each of its results. */
export type DeclaredExtras = (job: Job, outcome: Outcome) => OutcomeExtras;

/** Undefined for a tool whose contract declares no cost, provider or accuracy: its results stay unchanged. */
export function declaredExtras({ name, version, cost_per_call, provider, accuracy }: ToolContract): DeclaredExtras | undefined {
  if (cost_per_call === undefined && provider === undefined && accuracy === undefined) return undefined;
  const source = `${provider ? `${provider}:` : ''}${name}@${version}`;
  return (job, outcome) => {
    const ran = outcome.extras?.cached ? 0 : 1 + job.resends;
    const known = outcome.extras?.provenance ?? null;
    const provenance =
      known === null && outcome.status === 'succeeded' ? { source, as_of_ms: outcome.ended_at_ms, confidence: accuracy ?? null } : known;
    return extrasOf({ ...outcome.extras, provenance, cost: cost_per_call === undefined ? null : cost_per_call * ran });
  };
}
