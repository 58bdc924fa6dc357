import type { TrustScoreChanged } from '@countersign/contracts';
import { type AgentTrust, REPORT_EVERY_MS, type ReportedScores, reportedKey, toTell } from '@countersign/domain';
import type { TrustScores } from '@countersign/process';

/** A trust report of a subject, without its meta. */
export type Moved = Omit<TrustScoreChanged, 'meta'>;

type Now = Pick<Moved, 'score' | 'reported' | 'reported_reliability' | 'verified_reliability' | 'runs' | 'verified_at_ms'>;
type About = Pick<Moved, 'subject' | 'name' | 'version'>;

/**
 * Scores of one tenant that changed beyond their hysteresis since their last report: its tools, the providers of tools that ran, and these
 * agents. `postponed`: a score changed shortly after its last report.
 */
export function movedScores(
  earlier: ReportedScores,
  tenant_id: string,
  scores: TrustScores,
  agents: ReadonlyMap<string, AgentTrust>,
): { moved: Moved[]; postponed: boolean } {
  const moved: Moved[] = [];
  let postponed = false;
  const look = (about: About, now: Now) => {
    const known = earlier.get(reportedKey(tenant_id, about.subject, about.name, about.version));
    const next = toTell(known, now, scores.at_ms);
    if (next) moved.push({ ...about, ...now, band: next.band, at_ms: scores.at_ms });
    else postponed ||= toTell(known, now, scores.at_ms + REPORT_EVERY_MS) !== undefined;
  };
  for (const [name, tool] of scores.tools)
    for (const version of tool.versions.keys()) {
      const score = scores.tool(name, version);
      if (!score) continue;
      const { reported_reliability, verified_reliability, verified_at_ms, counted, scored, scored_as_reported } = score;
      const numbers = { reported_reliability, verified_reliability, verified_at_ms, runs: counted.runs };
      look({ subject: 'tool', name, version }, { ...numbers, score: scored?.score ?? null, reported: scored_as_reported?.score ?? null });
    }
  for (const name of scores.providers())
    look({ subject: 'provider', name, version: null }, { ...NO_NUMBERS, score: scores.provider(name), reported: null });
  for (const [name, agent] of agents) {
    const { scored, reported_reliability, verified_reliability, confirmed_at_ms, counted } = scores.agent(agent);
    const numbers = { reported_reliability, verified_reliability, verified_at_ms: confirmed_at_ms, runs: counted.runs };
    look({ subject: 'agent', name, version: null }, { ...numbers, score: scored?.score ?? null, reported: null });
  }
  return { moved, postponed };
}

const NO_NUMBERS = { reported_reliability: null, verified_reliability: null, verified_at_ms: null, runs: 0 };
