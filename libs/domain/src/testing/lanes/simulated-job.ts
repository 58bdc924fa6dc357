import type { CallStage } from '../../execution/life/states.js';
import type { RunResult } from '../../execution/result.js';
import type { ExecutionState } from '../../execution/row.js';
import type { Entry, Ruling } from './world.js';

export type SimulatedVerdict = { kind: 'ended'; state: ExecutionState } | { kind: 'answered'; of: string } | { kind: 'stricter' };

/** A call in a simulated executor. */
export class SimulatedJob {
  stage: CallStage = 'new';
  attempt = 1;
  /** The content of its records. */
  epoch = 0;
  /** The lease under which it was claimed or taken over. */
  lease = 0;
  claimed = false;
  refused = false;
  cancelled = false;
  owner_dead = false;
  resends = 0;
  maybe_happened = false;
  slot = false;
  unanswered: number | null = null;
  leader: string | null = null;
  joiners: SimulatedJob[] = [];
  next: SimulatedJob | undefined;
  verdict: SimulatedVerdict | undefined;
  result: RunResult | undefined;
  written: Entry | undefined;
  sources: number[] = [];

  constructor(
    readonly ruling: Ruling,
    source: number | null,
  ) {
    if (source !== null) this.sources.push(source);
  }
}
