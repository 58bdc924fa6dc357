import type { AnswerTerms } from './answering.js';
import type { ReconcileAnswer } from './reconciled.js';
import type { Run, RunResult } from './result.js';
import type { ExecutionState } from './row.js';

export const DIGEST = 'c'.repeat(64);
/** What every simulated ruling says. */
export const RULING = {
  write: true,
  joined_call_id: null,
  key_passed: false,
  discriminating_digest: DIGEST,
  execute_before_ms: 10,
  deadline_ms: null,
};
const TERMS: AnswerTerms = { key_source: 'header', names: 'nothing', has_verify: false };
/** What every simulated claim says. */
export const CLAIMANT = { discriminating_digest: DIGEST, requested_at_ms: 0, joined_call_id: null, terms: TERMS };

/** mulberry32: the same seed gives the same run. */
export class Seeded {
  constructor(private state: number) {}
  below(n: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  }
}

/** A record of the model's log. */
export type Entry =
  | { kind: 'started'; call: string; epoch: number }
  | { kind: 'executed'; call: string; epoch: number; state: ExecutionState }
  | { kind: 'in_doubt' | 'deduplicated'; call: string; of?: string };

/** A call on its way through a member. */
export interface Work {
  call: string;
  attempt: number;
  epoch: number;
  /** The epoch that its events carry: never lower than one that was seen for the call. */
  logged: number;
  step: 'claim' | 'start' | 'fire' | 'answer' | 'reconcile';
  result?: RunResult;
  dead_owner: boolean;
  /** Nobody has sent it yet. */
  first: boolean;
  unanswered: number | null;
}

/** An executor of the model. */
export interface Member {
  epoch: number;
  paused: boolean;
  work: Work[];
}

/** A run that has used up its attempts: what its result means does not depend on time. */
export const NO_RETRY: Run = {
  resends: 1,
  resends_max: 1,
  fired_at_ms: 0,
  now_ms: 0,
  deadline_ms: null,
  until_ms: 0,
  paused_ms: 0,
  random: 0,
  cancelled: false,
};

/** What a reconcile finds where the effect is there. */
export const HAPPENED: ReconcileAnswer = { kind: 'happened', output_json: '1', truncated: false, warnings: [] };
