import type { TrustObservation } from './facts.js';
import { type AuditLevel, NO_RUNS, plus, type RegisteredFact, type ToolTrust, versionTrust } from './state.js';

/** The facts that change the trust in a tool, in the order of each topic. */
export type TrustFact =
  | TrustObservation
  | { fact: 'registered'; version: string; registered: RegisteredFact; at_ms: number }
  | { fact: 'evaluated'; version: string; digest: string; passed: boolean; evaluated_at_ms: number; at_ms: number }
  | { fact: 'audited'; version: string; level: AuditLevel; at_ms: number }
  | { fact: 'rated'; rater: string; rating: number; at_ms: number };

/**
 * Folds one fact about the tool into its state, in place, and returns it. Facts of one topic arrive in order; facts of different calls in
 * any order.
 */
export function evolveTrust(state: ToolTrust, fact: TrustFact): ToolTrust {
  switch (fact.fact) {
    case 'run': {
      const part = versionTrust(state, fact.version);
      const who = `${fact.principal.kind}:${fact.principal.id}`;
      part.runs.set(who, plus(part.runs.get(who) ?? NO_RUNS, fact.counts));
      part.first_run_ms = Math.min(part.first_run_ms ?? fact.at_ms, fact.at_ms);
      return state;
    }
    case 'asked':
      return state;
    case 'registered':
      versionTrust(state, fact.version).registered = fact.registered;
      return state;
    case 'evaluated': {
      const { evaluations } = versionTrust(state, fact.version);
      if (!fact.passed) evaluations.delete(fact.digest);
      else evaluations.set(fact.digest, Math.min(fact.evaluated_at_ms, fact.at_ms));
      return state;
    }
    case 'audited':
      versionTrust(state, fact.version).audit = { level: fact.level, at_ms: fact.at_ms };
      return state;
    case 'rated':
      state.ratings.set(fact.rater, { rating: fact.rating, at_ms: fact.at_ms });
      return state;
    default: {
      const unhandled: never = fact;
      return unhandled;
    }
  }
}
