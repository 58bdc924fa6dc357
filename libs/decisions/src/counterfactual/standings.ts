import { type CallState, evolve, HOUR_MS, resultFlags, statusOf, usageFacts } from '@countersign/domain';
import { historyWindows } from '@countersign/policy';
import type { RecordedCall } from './recorded-calls.js';

/** The statuses of answers, as named in the columns of the windows. */
const MEASURES = ['calls', 'succeeded', 'failed', 'denied', 'flagged'] as const;

/** The state of a call for counting: its status, and its answers by hour. */
export interface Standing {
  status: string;
  /** Patterns of injection in its answer, joined by commas; null: none. */
  flags: string | null;
  answered: readonly Answered[];
}

interface Answered {
  hour: number;
  counts: Readonly<Record<string, number>>;
}

/** Cache: states are immutable, so each is computed once. */
const known = new WeakMap<CallState, Standing>();

/** The standing of a call; undefined if it was not requested. */
export function standingOf(state: CallState | undefined): Standing | undefined {
  if (!state?.requested) return undefined;
  const standing = known.get(state) ?? standingNow(state);
  known.set(state, standing);
  return standing;
}

function standingNow(state: CallState): Standing {
  const answered = usageFacts(state).map(({ at_ms, sums }) => ({
    hour: Math.floor(at_ms / HOUR_MS),
    counts: { ...Object.fromEntries(MEASURES.map((name) => [name, sums[name]])), in_doubt: sums.in_doubt - sums.resolved },
  }));
  return { status: statusOf(state), flags: resultFlags(state).join() || null, answered };
}

export const isSameStanding = (a: Standing | undefined, b: Standing | undefined): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** What the call adds to the windows that end with an hour, by column. */
export function windowCounts({ answered }: Standing, hour: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [window, hours] of Object.entries(historyWindows)) {
    for (const name of [...MEASURES, 'in_doubt']) counts[`${window}_${name}`] = 0;
    for (const one of answered)
      if (one.hour <= hour && one.hour >= hour - hours)
        for (const [name, more] of Object.entries(one.counts)) counts[`${window}_${name}`] = (counts[`${window}_${name}`] ?? 0) + more;
  }
  return counts;
}

/** True if the agent got an answer. */
export const isAnswered = (standing: Standing | undefined): boolean =>
  standing?.answered.some(({ counts }) => (counts.calls ?? 0) > 0) === true;

/** The states of recorded calls at a time. Each call is folded once. */
export class RecordedStandings {
  private readonly known = new Map<string, { at_ms: number; state: CallState }[]>();

  at({ call_id, events }: RecordedCall, at_ms: number): CallState | undefined {
    const steps = this.known.get(call_id) ?? this.folded(call_id, events);
    let found: CallState | undefined;
    for (const step of steps) {
      if (step.at_ms > at_ms) break;
      found = step.state;
    }
    return found;
  }

  private folded(call_id: string, events: RecordedCall['events']): { at_ms: number; state: CallState }[] {
    let state: CallState | undefined;
    const steps = events.map((event) => {
      state = evolve(state, event);
      return { at_ms: event.timestamp_ms, state };
    });
    this.known.set(call_id, steps);
    return steps;
  }
}
