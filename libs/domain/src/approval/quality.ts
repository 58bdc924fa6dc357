import { HOUR_MS } from '../durations.js';

/** One vote that policy counted, with the times before it. */
export interface CountedDecision {
  approval_id: string;
  voter_id: string;
  vote: string;
  rule: string | null;
  requested_at_ms: number;
  voted_at_ms: number;
  /** When the voter first opened the request; null: never. */
  viewed_at_ms: number | null;
}

export interface QualityRow {
  decisions: number;
  approvals: number;
  /** Approvals divided by approvals and denials. */
  approval_rate: number;
  /** Approvals by voters who did not open the request first. */
  approved_unopened: number;
  /** Median time from the request to the vote; null without decisions. */
  median_wait_ms: number | null;
  /** Median time from opening to the vote; requests that were never opened are excluded. */
  median_attention_ms: number | null;
  /** Total time from opening to the vote, of requests that were opened. */
  attention_ms: number;
  /** The attention time as money; null if no price per hour is given. */
  cost: number | null;
  cost_per_decision: number | null;
  /** The approver approves almost everything, unread or within seconds. */
  rubber_stamp: boolean;
  reasons: string[];
}

const RUBBER_DECISIONS_MIN = 10;
const RUBBER_RATE = 0.95;
const RUBBER_ATTENTION_MS = 5000;
const RUBBER_UNOPENED = 0.5;
/** A longer reading time counts as this much: the page was left open. */
const ATTENTION_MAX_MS = HOUR_MS;

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] as number) + upper) / 2;
}

const opened = ({ viewed_at_ms, voted_at_ms }: CountedDecision): boolean => viewed_at_ms !== null && viewed_at_ms <= voted_at_ms;
const approves = ({ vote }: CountedDecision): boolean => vote === 'approve' || vote === 'edit';

/** Quality metrics of the decisions of one approver, or under one rule. */
export function qualityOf(all: readonly CountedDecision[], price_of_hour: number | null): QualityRow {
  const decided = all.filter((one) => approves(one) || one.vote === 'deny');
  const approvals = decided.filter(approves);
  const attention = decided.filter(opened).map((one) => Math.min(ATTENTION_MAX_MS, one.voted_at_ms - (one.viewed_at_ms as number)));
  const attention_ms = attention.reduce((sum, ms) => sum + ms, 0);
  const approval_rate = decided.length === 0 ? 0 : approvals.length / decided.length;
  const approved_unopened = approvals.filter((one) => !opened(one)).length;
  const median_attention_ms = median(attention);
  const unread = approvals.length > 0 && approved_unopened / approvals.length > RUBBER_UNOPENED;
  const hasty = median_attention_ms !== null && median_attention_ms < RUBBER_ATTENTION_MS;
  const rubber_stamp = decided.length >= RUBBER_DECISIONS_MIN && approval_rate >= RUBBER_RATE && (unread || hasty);
  const cost = price_of_hour === null ? null : (attention_ms / HOUR_MS) * price_of_hour;
  return {
    decisions: decided.length,
    approvals: approvals.length,
    approval_rate,
    approved_unopened,
    median_wait_ms: median(decided.map((one) => one.voted_at_ms - one.requested_at_ms)),
    median_attention_ms,
    attention_ms,
    cost,
    cost_per_decision: cost === null || decided.length === 0 ? null : cost / decided.length,
    rubber_stamp,
    reasons: rubber_stamp
      ? [...(unread ? ['most approvals were given without opening the request'] : []), ...(hasty ? ['decisions take seconds'] : [])]
      : [],
  };
}

/** The same metrics by name, largest first. */
export function qualityBy(
  all: readonly CountedDecision[],
  nameOf: (one: CountedDecision) => string,
  price_of_hour: number | null,
): ({ name: string } & QualityRow)[] {
  const groups = new Map<string, CountedDecision[]>();
  for (const one of all) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return [...groups].map(([name, group]) => ({ name, ...qualityOf(group, price_of_hour) })).sort((a, b) => b.decisions - a.decisions);
}
