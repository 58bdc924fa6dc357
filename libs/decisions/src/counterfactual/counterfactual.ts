import type { EventMap } from '@countersign/contracts';
import type { Change } from './change.js';
import { type CallComparison, compared, type Difference, unreproduced } from './comparison.js';
import { Others } from './others.js';
import { Redecision } from './redecision.js';
import type { TrippedLimit } from './simulated-limits.js';
import type { Recording } from './simulated-world.js';

/** A limit that was exceeded, in one of the worlds or both. */
export interface LimitTrip extends TrippedLimit {
  recorded: boolean;
  counterfactual: boolean;
}

/** A vote that would be refused. */
export type RefusedVote = Pick<EventMap['approval_vote_refused'], 'approval_id' | 'vote_id' | 'code' | 'reason'>;

/** The result of a counterfactual question. */
export interface CounterfactualAnswer {
  /** Number of calls in the question. */
  calls: number;
  unchanged: number;
  unknown: number;
  counts: Partial<Record<Difference, number>>;
  limits: LimitTrip[];
  refused_votes: RefusedVote[];
  /** Calls in the question whose records were dropped. */
  not_on_record: string[];
  comparisons: CallComparison[];
}

/**
 * Decides a recording twice, unchanged and with changes, and compares the results. If the unchanged decision does not reproduce the record,
 * the call is unknown. Each `step` does a small part; once it returns false, `answer` is complete.
 */
export class Counterfactual {
  private readonly unchanged: Redecision;
  private readonly changed: Redecision;
  private readonly comparisons: CallComparison[] = [];
  private readonly not_on_record: string[] = [];
  private readonly work: Iterator<void>;
  private readonly others: Others;
  steps = 0;

  constructor(
    recording: Recording,
    changes: readonly Change[],
    private readonly about: readonly string[],
  ) {
    this.unchanged = new Redecision(recording, []);
    this.changed = new Redecision(recording, changes);
    this.others = new Others(this.changed.world);
    this.work = this.worked();
  }

  step(): boolean {
    this.steps++;
    return !this.work.next().done;
  }

  private *worked(): Generator<void> {
    while (this.unchanged.step()) yield;
    while (this.changed.step()) yield;
    this.unchanged.finish();
    this.changed.finish();
    yield* this.others.grouped();
    for (const call_id of this.about) {
      this.compare(call_id);
      yield;
    }
  }

  private compare(call_id: string): void {
    const { world } = this.changed;
    if (!world.records.get(call_id)) {
      this.not_on_record.push(call_id);
      return;
    }
    const why = unreproduced(this.unchanged.world, call_id);
    this.comparisons.push({ ...compared(world, call_id, why), assumed_unchanged: this.others.before(call_id) });
  }

  /** Call this after `step` has returned false. */
  answer(): CounterfactualAnswer {
    const { comparisons } = this;
    const counts: Partial<Record<Difference, number>> = {};
    for (const { differences } of comparisons) for (const one of differences) counts[one] = (counts[one] ?? 0) + 1;
    return {
      calls: comparisons.length,
      unchanged: comparisons.filter(({ differences, unknown }) => differences.length === 0 && unknown.length === 0).length,
      unknown: comparisons.filter(({ unknown }) => unknown.length > 0).length,
      counts,
      limits: this.trips(),
      refused_votes: this.refusedVotes(),
      not_on_record: this.not_on_record,
      comparisons,
    };
  }

  private trips(): LimitTrip[] {
    const about = new Set(this.about);
    const key = ({ limit_id, subject, per, call_id }: TrippedLimit): string => JSON.stringify([limit_id, subject, per, call_id]);
    const mine = ({ tripped }: { tripped: TrippedLimit[] }) =>
      new Map(tripped.filter(({ call_id }) => about.has(call_id)).map((trip) => [key(trip), trip]));
    const [then, now] = [mine(this.unchanged.world.limits), mine(this.changed.world.limits)];
    return [...new Map([...then, ...now])].map(([id, trip]) => ({ ...trip, recorded: then.has(id), counterfactual: now.has(id) }));
  }

  private refusedVotes(): RefusedVote[] {
    const known = new Set(this.unchanged.refused_votes.map(({ vote_id }) => vote_id));
    return this.changed.refused_votes
      .filter(({ vote_id }) => !known.has(vote_id))
      .map(({ approval_id, vote_id, code, reason }) => ({ approval_id, vote_id, code, reason }));
  }
}
