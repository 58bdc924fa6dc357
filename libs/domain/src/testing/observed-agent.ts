import type { TrustObservation } from '../trust/facts.js';
import { type AgentTrust, NO_RUNS, plus } from '../trust/state.js';

/** Folds observations of an agent's call, in place. The projection's rows must add up to the same. */
export function evolveAgent(state: AgentTrust, fact: TrustObservation): AgentTrust {
  const confirmed = fact.fact === 'run' ? fact.counts.verified > 0 : fact.granted;
  if (confirmed) state.confirmed_at_ms = Math.max(state.confirmed_at_ms ?? 0, fact.at_ms);
  if (fact.fact === 'asked') {
    state.asked++;
    if (fact.granted) state.granted++;
    return state;
  }
  const tool = `${fact.tool}@${fact.version}`;
  state.runs.set(tool, plus(state.runs.get(tool) ?? NO_RUNS, fact.counts));
  return state;
}
