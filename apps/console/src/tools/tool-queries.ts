import { type QueryResult, useQuery } from '../gateway/use-query.js';
import { summaryOf, type ToolSummary } from './tool-summary.js';
import type { Tool } from './tool-version.js';

const TOOLS_MAX = 500;

export interface ListedTools {
  tools: readonly ToolSummary[];
  has_more: boolean;
  /** Packs that cannot be used, and why. */
  unhealthy: readonly string[];
}

/** All tools of the tenant, short. */
export function useToolSummaries(): QueryResult<ListedTools> {
  return useQuery({
    kind: 'tool',
    key: ['summaries'],
    read: async (api, signal) => {
      const query = { lifecycle: 'all', limit: TOOLS_MAX, expand: 'versions' } as const;
      const { data, ...rest } = await api.GET('/v1/tools', { params: { query }, signal });
      if (!data) return rest;
      const unhealthy = (data.unhealthy_packs ?? []).map(({ pack, reason }) => `${pack}: ${reason}`);
      return { ...rest, data: { tools: data.items.map(summaryOf), has_more: data.next_cursor !== null, unhealthy } };
    },
  });
}

/** Names of the tools that the gateway finds for some words, best first; undefined without words. */
export function useFoundNames(q: string): readonly string[] | undefined {
  const { data } = useQuery({
    kind: 'tool',
    key: ['search', q],
    enabled: q.trim() !== '',
    keep: true,
    read: async (api, signal) => {
      const { data: found, ...rest } = await api.GET('/v1/tools:search', { params: { query: { q, limit: 50 } }, signal });
      return { ...rest, data: found?.items.map(({ name }) => name) as string[] };
    },
  });
  return q.trim() === '' ? undefined : data;
}

/** A tool with the records of its versions. */
export const useTool = (name: string): QueryResult<Tool> =>
  useQuery({
    kind: 'tool',
    key: ['tool', name],
    also: ['configuration'],
    read: (api, signal) => api.GET('/v1/tools/{name}', { params: { path: { name } }, signal }),
  });
