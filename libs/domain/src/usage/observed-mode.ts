import { type ApprovalMode, effectRules, type Outcome } from '@countersign/contracts';
import type { CallState } from '../call/state.js';

const REPORTED = /"mutations":\[[^\]]/;
/** Modes of calls without changes. */
const READING: readonly ApprovalMode[] = ['read_only', 'network'];

/** True if a JSON text reports changes: its top-level `mutations` is not empty. */
function reportsMutations(json: string | null | undefined): boolean {
  if (json == null || !REPORTED.test(json)) return false;
  try {
    const output = JSON.parse(json) as { mutations?: unknown } | null;
    return Array.isArray(output?.mutations) && output.mutations.length > 0;
  } catch {
    return false;
  }
}

/** True if the outcome, the output or the error shows a change. */
const changedSomething = ({ effect, output_json, error }: Outcome): boolean =>
  effect === 'happened' || reportsMutations(output_json) || reportsMutations(error?.details_json);

/**
 * The approval mode that fits the observed effect of a call, if it exceeds the effective mode; undefined if nothing contradicts the
 * effective mode. Only reads that changed something are detected, by the outcome, the output or the error. A write without a change is no
 * contradiction.
 */
export function observedMode(state: CallState): ApprovalMode | undefined {
  const { call, ruling, end, doubt } = state;
  const outcome = end?.kind === 'deduplicated' ? undefined : (end ?? doubt)?.outcome;
  if (!call || !outcome || outcome.extras?.cached) return undefined;
  const effective = ruling?.approval_mode_effective ?? effectRules[call.effect_class].approval_mode;
  return READING.includes(effective) && changedSomething(outcome) ? 'local_write' : undefined;
}
