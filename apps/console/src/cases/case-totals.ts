import type { CaseCall } from './use-case-calls.js';

/** What the loaded calls of a case add up to. */
export interface CaseTotals {
  calls: number;
  /** By status, most frequent first. */
  statuses: readonly (readonly [status: string, count: number])[];
  cost: number | null;
  callers: readonly string[];
  purpose: string | null;
}

const CALLERS_MAX = 5;

export function totalsOf(calls: readonly CaseCall[]): CaseTotals {
  const counts = new Map<string, number>();
  const callers = new Set<string>();
  let cost: number | null = null;
  let purpose: string | null = null;
  for (const call of calls) {
    const { status = 'unknown' } = call;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (callers.size < CALLERS_MAX && call.principal) callers.add(call.principal.id);
    if (typeof call.cost === 'number') cost = (cost ?? 0) + call.cost;
    // calls come newest first: the first one of the case has the last word
    purpose = call.purpose ?? purpose;
  }
  const statuses = [...counts].sort((a, b) => b[1] - a[1]);
  return { calls: calls.length, statuses, cost, callers: [...callers], purpose };
}
