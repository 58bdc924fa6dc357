import type { SagaLevelSkipReason } from '@countersign/contracts';
import type { ToolUse } from '../definition/definition.js';
import type { KnownTool } from '../definition/faults.js';
import type { SkipLevel } from './commands.js';
import { fact } from './drafts.js';
import type { SagaFact } from './facts.js';
import { deadlineOf, pivotOf, type RunningSaga, type StepEntry } from './state.js';

/** What is known of a level before its inputs are evaluated. */
export interface LevelFacts {
  /** State of the circuit of its tool version. */
  circuit: 'closed' | 'open' | 'half_open';
  /** True if the caller holds the probe lease of a circuit that is not closed. */
  has_probe: boolean;
  /** Calls that the rate limits of the tool still allow now; null: it has none. */
  rate_budget: number | null;
  /** Declared p99 of the level; null: unknown, so the deadline does not skip it. */
  p99_ms: number | null;
  /** Result of `timeLeft`. */
  time_left_ms: number | null;
}

/** Why a level cannot run; undefined if it can. A step that has a condition is skipped as a whole before its levels are looked at. */
export function levelSkipReason({ circuit, has_probe, rate_budget, p99_ms, time_left_ms }: LevelFacts): SagaLevelSkipReason | undefined {
  if (circuit !== 'closed' && !has_probe) return 'circuit_open';
  if (rate_budget !== null && rate_budget < 1) return 'rate_budget_empty';
  return p99_ms !== null && time_left_ms !== null && time_left_ms < p99_ms ? 'deadline' : undefined;
}

/** The p99 of a level in milliseconds: what the definition declares, else the contract of the tool; null if neither does. */
export const levelP99 = (use: ToolUse, tool: Pick<KnownTool, 'latency_p99_ms'> | undefined): number | null =>
  use.p99_ms ?? tool?.latency_p99_ms ?? null;

/** Milliseconds to the deadline of the saga. Null if nothing limits a level: no deadline, a stopped clock, or a pivot that took effect. */
export function timeLeft(saga: RunningSaga, now_ms: number): number | null {
  const deadline_ms = deadlineOf(saga);
  return deadline_ms === null || pivotOf(saga) ? null : deadline_ms - now_ms;
}

export function skippedLevel(saga: RunningSaga, command: SkipLevel, skipped_at_ms: number): SagaFact {
  const { step_id, level, tool, version, reason } = command;
  const attempt = saga.steps.get(step_id)?.runs.length ?? 0;
  return fact(saga, 'saga_level_skipped', { step_id, iteration: 1, attempt, level, tool, version, reason, skipped_at_ms });
}

/** True if the last run was a failure without an effect, or there is none: only then another level may run. */
export function mayChangeLevel({ runs }: StepEntry): boolean {
  const last = runs.at(-1);
  return !last || (last.end?.status === 'failed' && last.end.effect === 'none');
}

/** The level to try after the last one, which failed without an effect or was skipped. */
export function nextLevel({ runs, skips }: StepEntry): number {
  const [last, skip] = [runs.at(-1), skips.at(-1)];
  if (skip && skip.seq > (last?.requested_seq ?? -1)) return skip.level + 1;
  return last ? last.level + 1 : 0;
}

/** The level that a person's retry tries first: skipped ones are considered anew, unless the last call ended by a decision or in an effect. */
export function levelOfRetry(entry: StepEntry): number {
  // A level whose inputs could not be evaluated made no call.
  if (entry.mark === 'unprepared') return entry.mark_level;
  const last = entry.runs.slice(-1).map((run) => run.level);
  const skipped = mayChangeLevel(entry) ? entry.skips.map((skip) => skip.level) : [];
  return last.length + skipped.length > 0 ? Math.min(...last, ...skipped) : 0;
}
