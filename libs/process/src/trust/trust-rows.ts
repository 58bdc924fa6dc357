import {
  type AgentTrust,
  type AuditLevel,
  emptyAgent,
  emptyTrust,
  evolveTrust,
  NO_RUNS,
  plus,
  type RegisteredFact,
  type ToolTrust,
  versionTrust,
} from '@countersign/domain';
import type { TrustFactRow, TrustSum } from '@countersign/store';

/** A stored rating. */
export interface StoredRating {
  rater: string;
  rating: number;
  comment: string | null;
  by: { kind: string; id: string };
  rated_at_ms: number;
}

function applyFact(tool: ToolTrust, { kind, version, at_ms, detail }: TrustFactRow): void {
  const stated = JSON.parse(detail);
  switch (kind) {
    case 'registered':
      evolveTrust(tool, { fact: 'registered', version, registered: stated as RegisteredFact, at_ms });
      return;
    case 'evaluated':
      evolveTrust(tool, { fact: 'evaluated', version, ...(stated as { digest: string; passed: boolean; evaluated_at_ms: number }), at_ms });
      return;
    case 'audited':
      evolveTrust(tool, { fact: 'audited', version, level: (stated as { level: AuditLevel }).level, at_ms });
      return;
    case 'rated': {
      const { rater, rating } = stated as StoredRating;
      evolveTrust(tool, { fact: 'rated', rater, rating, at_ms });
      return;
    }
  }
}

/** The state of every tool in these rows: equal to the fold of the events themselves. */
export function toolsOf(sums: readonly TrustSum[], facts: readonly TrustFactRow[]): Map<string, ToolTrust> {
  const tools = new Map<string, ToolTrust>();
  const of = (name: string): ToolTrust => {
    const known = tools.get(name) ?? emptyTrust(name);
    tools.set(name, known);
    return known;
  };
  for (const fact of facts) applyFact(of(fact.tool), fact);
  for (const { tool, version, principal, fact, first_at_ms, ...counts } of sums) {
    if (fact !== 'run') continue;
    const part = versionTrust(of(tool), version);
    const { runs, succeeded, verified, valid, timely, sound } = counts;
    part.runs.set(principal, plus(part.runs.get(principal) ?? NO_RUNS, { runs, succeeded, verified, valid, timely, sound }));
    part.first_run_ms = Math.min(part.first_run_ms ?? first_at_ms, first_at_ms);
  }
  return tools;
}

/** The state of one agent, from the sums of its calls. */
export function agentOf(sums: readonly TrustSum[]): AgentTrust {
  const agent = emptyAgent();
  for (const { tool, version, fact, confirmed_at_ms, runs, succeeded, verified, valid, timely, sound } of sums) {
    if (confirmed_at_ms !== null) agent.confirmed_at_ms = Math.max(agent.confirmed_at_ms ?? 0, confirmed_at_ms);
    if (fact === 'run') {
      agent.runs.set(`${tool}@${version}`, { runs, succeeded, verified, valid, timely, sound });
    } else {
      agent.asked += runs;
      agent.granted += succeeded;
    }
  }
  return agent;
}
