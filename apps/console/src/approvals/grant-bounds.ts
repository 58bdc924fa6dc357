import { duration } from '../elements/relative-time.js';
import type { Approval, VoteBody } from './approval.js';

export type Grant = NonNullable<VoteBody['grant']>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OFFERED_MS = [10 * MINUTE, HOUR, 4 * HOUR, 24 * HOUR, 7 * 24 * HOUR];
export const USES_MAX = 1_000;

/** The durations to choose from: not longer than the policy allows, which is one of them. */
export function durationsOf({ terms }: Pick<Approval, 'terms'>): [string, string][] {
  const max_ms = terms?.grant_max_ms ?? 0;
  const offered = OFFERED_MS.filter((ms) => ms < max_ms);
  return [...offered, max_ms].filter((ms) => ms >= 1000).map((ms) => [String(ms), duration(ms)]);
}

/** What a grant may be bound to, the narrowest first. */
export function scopesOf({ call }: Pick<Approval, 'call'>): [Grant['scope'], string][] {
  return [
    ...(call?.run_id ? ([['run', 'This run of the agent only']] as [Grant['scope'], string][]) : []),
    ...(call?.case_id ? ([['case', 'This case only']] as [Grant['scope'], string][]) : []),
    ['tool', 'All its calls of this tool'],
  ];
}

/** What a grant covers, in one sentence. */
export function grantText({ call }: Pick<Approval, 'call'>, { scope, for_ms, uses }: Grant): string {
  const where = scope === 'tool' ? '' : scope === 'case' ? ` in case ${call?.case_id}` : ` in run ${call?.run_id}`;
  const count = uses === 1 ? '1 more call' : `Up to ${uses} more calls`;
  return `${count} of ${call?.tool ?? 'this tool'} by ${call?.principal?.id ?? 'the same caller'}${where} within ${duration(for_ms)} will not ask again.`;
}
