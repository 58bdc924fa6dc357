/** A recorded call that a draft decides differently. */
export interface CallDifference {
  call_id: string;
  tool: string;
  case_id: string | null;
  difference: string;
  before: { effect: string; rule: string; bundle_version: string };
  after: { effect: string; rule: string; why: string | null };
}

/** Calls that change in the same way by the same rules. */
export interface DifferenceGroup {
  key: string;
  difference: string;
  before: { effect: string; rule: string };
  after: { effect: string; rule: string };
  count: number;
}

/** The name of the group of a difference; it stands in the address, so that a link shows the same calls. */
export const groupKey = ({ before, after }: Pick<CallDifference, 'before' | 'after'>): string =>
  [before.effect, before.rule, after.effect, after.rule].join(' ');

/** The groups of the differences, those of most calls first. */
export function differenceGroups(differences: readonly CallDifference[]): DifferenceGroup[] {
  const groups = new Map<string, DifferenceGroup>();
  for (const { difference, before, after } of differences) {
    const key = groupKey({ before, after } as CallDifference);
    const group = groups.get(key);
    if (group) group.count += 1;
    else {
      const { effect, rule } = before;
      groups.set(key, { key, difference, before: { effect, rule }, after: { effect: after.effect, rule: after.rule }, count: 1 });
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}

const DIFFERENCES: Readonly<Record<string, string>> = {
  newly_denied: 'newly denied',
  newly_allowed: 'newly allowed',
  approval_added: 'ask a person now',
  approval_avoided: 'need no person now',
  newly_deferred: 'wait now',
};

/** What happens to calls of a kind of difference. */
export const differenceWord = (difference: string): string =>
  Object.hasOwn(DIFFERENCES, difference) ? (DIFFERENCES[difference] as string) : difference.replaceAll('_', ' ');

/** A period that a person chooses; `all`: without a limit in time. */
export const PERIODS = [
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['all', 'All time'],
] as const;

const DAY_MS = 86_400_000;

/** The beginning of a period that ends now. */
export function periodStart(period: string, now_ms: number): string | undefined {
  const days = Number(period);
  return Number.isInteger(days) && days > 0 && days <= 3650 ? new Date(now_ms - days * DAY_MS).toISOString() : undefined;
}
