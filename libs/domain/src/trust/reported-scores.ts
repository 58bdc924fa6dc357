import type { EventMap, Principal, ToolContract, TrustScoreChanged } from '@countersign/contracts';
import { LOCAL_PROVIDER } from './facts.js';
import type { ReportedTrust } from './hysteresis.js';

type Subject = TrustScoreChanged['subject'];

/** The published trust scores by subject, as policy and executor use them. The single owner changes it in place. */
export type ReportedScores = Map<string, ReportedTrust & { runs: number }>;

export function reportedKey(tenant_id: string, subject: Subject, name: string, version: string | null): string {
  return `${tenant_id}\0${subject}\0${name}\0${version ?? ''}`;
}

/** Folds a record of trust-view; the newest record counts. */
export function evolveReported(scores: ReportedScores, event: EventMap['trust_score_changed']): ReportedScores {
  const { meta, subject, name, version, score, reported, band, runs, at_ms } = event;
  scores.set(reportedKey(meta.tenant_id, subject, name, version), { score, reported, band, runs, at_ms });
  return scores;
}

/**
 * The variable `trust` of a call's conditions: `tool`, `tool_reported`, `tool_band`, `tool_runs`, `provider`, `provider_band`, `agent`,
 * `agent_band` (reported scores exist for tools only). A subject without a score has no fields, and a condition that uses them allows
 * nothing.
 */
export function trustFields(
  scores: ReportedScores,
  tenant_id: string,
  { name, version, provider = LOCAL_PROVIDER }: Pick<ToolContract, 'name' | 'version' | 'provider'>,
  principal: Pick<Principal, 'kind' | 'id'>,
): Record<string, number | string> {
  const fields: Record<string, number | string> = {};
  const add = (subject: Subject, trust: ReportedScores extends Map<string, infer T> ? T | undefined : never) => {
    if (!trust || trust.score === null) return;
    fields[subject] = trust.score;
    fields[`${subject}_band`] = trust.band;
    if (trust.reported !== null) fields[`${subject}_reported`] = trust.reported;
    if (subject === 'tool') fields.tool_runs = trust.runs;
  };
  add('tool', scores.get(reportedKey(tenant_id, 'tool', name, version)));
  add('provider', scores.get(reportedKey(tenant_id, 'provider', provider, null)));
  if (principal.kind === 'agent') add('agent', scores.get(reportedKey(tenant_id, 'agent', principal.id, null)));
  return fields;
}
