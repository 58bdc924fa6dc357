import type { Outcome } from '@countersign/contracts';
import { type CallState, type EndFact, statusOf } from '../call/state.js';
import { noUsage, type UsageSums } from './measures.js';
import { observedMode } from './observed-mode.js';

/** The usage that one record of a call adds. It counts in the hour of the record's append. */
export interface UsageFact {
  at_ms: number;
  sums: UsageSums;
  /** Duration of a run with a timer. */
  duration_us: number | null;
  /** For a fact that ended a doubt: when the call was answered as in doubt. */
  doubted_at_ms: number | null;
}

const NONE: readonly UsageFact[] = [];
const MAPPING = '"layer":"mapping"';
const AUTHORITY = '"rule":"authority.';

/** US dollars in millionths. */
const microsOf = (outcome: Outcome | undefined): number => Math.round((outcome?.extras?.cost ?? 0) * 1e6);

function isViolation({ ruling }: CallState, outcome: Outcome | undefined): boolean {
  if (outcome) return outcome.error?.details_json?.includes(AUTHORITY) === true;
  return ruling?.effect === 'deny' && ruling.rule.startsWith('authority.');
}

const isFlagged = (outcome: Outcome | undefined): boolean => (outcome?.extras?.flags ?? []).length > 0;

function doubtFact(state: CallState, { outcome, at_ms }: EndFact): UsageFact {
  const sums = noUsage();
  sums.calls = 1;
  sums.executed = 1;
  sums.in_doubt = 1;
  sums.cost_micros = microsOf(outcome);
  sums.flagged = isFlagged(outcome) ? 1 : 0;
  if (state.end === null && observedMode(state)) sums.misclassified = 1;
  return { at_ms, sums, duration_us: null, doubted_at_ms: null };
}

/** Counts retries within the call, and the call itself as a repeat of a failed one. */
function countTries(sums: UsageSums, state: CallState, { retry_count, status, extras, error }: Outcome): void {
  const succeeded = status === 'succeeded' ? 1 : 0;
  if (retry_count > 0) {
    sums.retried = 1;
    sums.retried_succeeded = succeeded;
  }
  if (state.attempt > 1) {
    sums.asked_again = 1;
    sums.asked_again_succeeded = succeeded;
    if (extras?.mapping_version != null) sums.mapping_repaired = succeeded;
  }
  if (error?.details_json?.includes(MAPPING)) sums.mapping_faults = 1;
}

function endFact(state: CallState, { kind, outcome, at_ms }: EndFact): UsageFact {
  const { doubt } = state;
  const sums = noUsage();
  const fact: UsageFact = { at_ms, sums, duration_us: null, doubted_at_ms: doubt?.at_ms ?? null };
  if (!doubt) sums.calls = 1;
  sums.flagged = isFlagged(outcome) && !isFlagged(doubt?.outcome) ? 1 : 0;
  if (kind === 'deduplicated') {
    sums.deduplicated = 1;
    return fact;
  }
  if (outcome.status !== 'in_doubt') sums[outcome.status] = 1;
  if (doubt) sums.resolved = 1;
  const cached = outcome.extras?.cached === true;
  if (cached) sums.cached = 1;
  const ran = !cached && (outcome.status === 'succeeded' || outcome.status === 'failed');
  if (ran && !doubt) {
    sums.executed = 1;
    sums.timed = 1;
    fact.duration_us = sums.duration_us = Math.round(outcome.duration_ms * 1000);
  }
  if (!cached) sums.cost_micros = microsOf(outcome) - microsOf(doubt?.outcome);
  countTries(sums, state, outcome);
  if (isViolation(state, outcome)) sums.violations = 1;
  if (observedMode(state)) sums.misclassified = 1;
  return fact;
}

/** The usage of a call that ended before it was executed. */
function refusalFact(state: CallState): UsageFact | undefined {
  const status = statusOf(state);
  if (status !== 'denied' && status !== 'expired' && status !== 'cancelled') return undefined;
  const end = state.approval_end;
  const byPeople = end !== null && end.kind !== 'granted' && end.revision >= (state.ruling?.revision ?? 0);
  const at_ms = byPeople ? end.at_ms : state.ruling?.decided_at_ms;
  if (at_ms === undefined) return undefined;
  const sums = noUsage();
  sums.calls = 1;
  sums[status] = 1;
  if (!byPeople && isViolation(state, undefined)) sums.violations = 1;
  return { at_ms, sums, duration_us: null, doubted_at_ms: null };
}

/**
 * The usage of a call so far, as facts that add up. None before its request and an answer are known. A pure function of the state: adding
 * the facts of the new state and subtracting those of the old one counts each call once, in whatever order the topics were read.
 */
export function usageFacts(state: CallState | undefined): readonly UsageFact[] {
  if (!state?.call || !state.requested) return NONE;
  const { doubt, end } = state;
  if (!doubt && !end) {
    const refused = refusalFact(state);
    return refused ? [refused] : NONE;
  }
  const facts: UsageFact[] = [];
  if (doubt) facts.push(doubtFact(state, doubt));
  if (end) facts.push(endFact(state, end));
  return facts;
}
