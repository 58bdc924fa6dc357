import { type ApprovalMode, isReadOnly } from '@countersign/contracts';
import type { CallState } from '../call/state.js';

const REPORTED = /"mutations":\[[^\]]/;

/** Whether a result says of itself that it changed something: `mutations`, at its top level, is not empty. */
function reportsMutations(output_json: string | null): boolean {
  if (output_json === null || !REPORTED.test(output_json)) return false;
  try {
    const output = JSON.parse(output_json) as { mutations?: unknown } | null;
    return Array.isArray(output?.mutations) && output.mutations.length > 0;
  } catch {
    return false;
  }
}

/**
 * The approval mode that the observed effect of a call asks for, where it is more than the effective one; undefined where
 * nothing was observed that contradicts it. Seen is a tool declared as reading that changed something, by the evidence of
 * its run or by its own report.
 */
export function observedMode(state: CallState): ApprovalMode | undefined {
  const { call, end, doubt } = state;
  const outcome = end?.kind === 'deduplicated' ? undefined : (end ?? doubt)?.outcome;
  if (!call || !outcome || outcome.extras?.cached || !isReadOnly(call.effect_class)) return undefined;
  return outcome.effect === 'happened' || reportsMutations(outcome.output_json) ? 'local_write' : undefined;
}
