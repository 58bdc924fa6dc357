import { type ApprovalMode, effectRules, type Outcome } from '@countersign/contracts';
import type { CallState } from '../call/state.js';

const REPORTED = /"mutations":\[[^\]]/;
/** Modes of calls that change nothing. */
const READING: readonly ApprovalMode[] = ['read_only', 'network'];

/** Whether a text of JSON says of itself that something was changed: `mutations`, at its top level, is not empty. */
function reportsMutations(json: string | null | undefined): boolean {
  if (json == null || !REPORTED.test(json)) return false;
  try {
    const output = JSON.parse(json) as { mutations?: unknown } | null;
    return Array.isArray(output?.mutations) && output.mutations.length > 0;
  } catch {
    return false;
  }
}

/** By what the run came to, what it answered, or what it had changed before it failed. */
const changedSomething = ({ effect, output_json, error }: Outcome): boolean =>
  effect === 'happened' || reportsMutations(output_json) || reportsMutations(error?.details_json);

/**
 * The approval mode that the observed effect of a call asks for, where it is more than the effective one; undefined where
 * nothing was observed that contradicts it. Seen is a call that was to read and changed something, by the evidence of
 * its run, by its result or by what its failure says. That a write changed nothing this once contradicts nothing.
 */
export function observedMode(state: CallState): ApprovalMode | undefined {
  const { call, ruling, end, doubt } = state;
  const outcome = end?.kind === 'deduplicated' ? undefined : (end ?? doubt)?.outcome;
  if (!call || !outcome || outcome.extras?.cached) return undefined;
  const effective = ruling?.approval_mode_effective ?? effectRules[call.effect_class].approval_mode;
  return READING.includes(effective) && changedSomething(outcome) ? 'local_write' : undefined;
}
