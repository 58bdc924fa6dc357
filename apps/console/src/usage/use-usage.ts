import type { Sent } from '../gateway/answer.js';
import type { Gateway } from '../gateway/gateway.js';
import { useQuery } from '../gateway/use-query.js';
import { type Period, rangeOf } from './period.js';
import type { NameGroup, UsageFilter, UsageLine, UsageLines } from './usage-line.js';

/** No event says that numbers changed without saying it for every call: they are read again at times. */
const EVERY_MS = 60_000;
const LIMIT = 500;
const PAGES_MAX = 4;

interface UsageQuery extends UsageFilter {
  group_by: 'day' | NameGroup;
  from: string;
  to: string;
  limit?: number;
}

/** All lines of a report, up to 2,000. */
async function readLines(api: Gateway['api'], query: UsageQuery, signal: AbortSignal): Sent<UsageLines> {
  const items: UsageLine[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const { data, error, response } = await api.GET('/v1/usage', {
      params: { query: { limit: LIMIT, ...query, ...(cursor ? { cursor } : {}) } },
      signal,
    });
    if (!data) return { error, response };
    items.push(...data.items);
    cursor = data.next_cursor ?? undefined;
    if (cursor === undefined || page === PAGES_MAX) return { data: { total: data.total, items, is_cut: cursor !== undefined }, response };
  }
}

/** The report of a period by day or by name. */
export function useUsage(group_by: UsageQuery['group_by'], period: Period, filter: UsageFilter) {
  const query = { group_by, ...rangeOf(period), ...filter };
  return useQuery<UsageLines>({
    ...{ kind: 'other', key: ['usage', query], every_ms: EVERY_MS, keep: true },
    read: (api, signal) => readLines(api, query, signal),
  });
}

/** Only the sum of a period, such as of the days before. */
export function useUsageTotal(period: Period, filter: UsageFilter) {
  const query = { group_by: 'day' as const, limit: 1, ...rangeOf(period), ...filter };
  return useQuery<UsageLine>({
    ...{ kind: 'other', key: ['usage-total', query] },
    read: async (api, signal) => {
      const { data, error, response } = await api.GET('/v1/usage', { params: { query }, signal });
      return data ? { data: data.total, response } : { error, response };
    },
  });
}

/** The days of some tools or agents, in their order. */
export function useUsageOfNames(group: NameGroup, names: readonly string[], period: Period, filter: UsageFilter) {
  const range = rangeOf(period);
  return useQuery<readonly UsageLines[]>({
    ...{ kind: 'other', key: ['usage-names', group, names, range, filter], every_ms: EVERY_MS, keep: true, enabled: names.length > 0 },
    read: async (api, signal) => {
      const answers = await Promise.all(
        names.map((name) => readLines(api, { group_by: 'day', ...range, ...filter, [group]: name }, signal)),
      );
      const failed = answers.find(({ data }) => data === undefined);
      if (failed) return { error: failed.error, response: failed.response };
      return { data: answers.map(({ data }) => data as UsageLines), response: (answers[0] as (typeof answers)[0]).response };
    },
  });
}
