import { useSession } from '../gateway/context.js';
import type { Schemas } from '../gateway/schemas.js';
import { hasRole } from '../gateway/session.js';
import { type QueryResult, useQuery } from '../gateway/use-query.js';
import { pathTo } from '../navigation/match.js';

export type ListedUpstream = Schemas['UpstreamListed'];
export type UpstreamTool = Schemas['UpstreamTool'];
export type ToolSummary = Schemas['UpstreamToolSummary'];
export type Definition = Schemas['UpstreamDefinition'];
/** With the ETag of what is shown, so that a form does not overwrite a change that came first. */
export type Upstream = Schemas['Upstream'] & { etag: string };

/** Who may read upstreams, set them, and classify their tools. */
export const READERS = ['operator', 'tool_author', 'policy_admin', 'auditor'];
export const SETTERS = ['tool_author'];
export const CLASSIFIERS = ['operator'];

/** A tenant has at most 20. */
const UPSTREAMS_MAX = 100;

export const upstreamPath = (name: string): string => pathTo('/upstreams/:name', { name });
/** In the query: the exact name of a tool may be `..`. */
export const toolPath = (name: string, tool: string): string => `${upstreamPath(name)}?tool=${encodeURIComponent(tool)}`;

/** Where an upstream is. What was chosen of its tools was chosen of the server there. */
export const placeOf = ({ url, command }: Pick<Upstream, 'url' | 'command'>): string => url ?? `command ${command ?? ''}`;

export function useUpstreams(): QueryResult<ListedUpstream[]> {
  return useQuery({
    kind: 'configuration',
    key: ['upstreams'],
    also: ['tool', 'security'],
    enabled: hasRole(useSession(), READERS),
    read: async (api, signal) => {
      const { data, ...rest } = await api.GET('/v1/upstreams', { params: { query: { limit: UPSTREAMS_MAX } }, signal });
      return { ...rest, data: data?.items as ListedUpstream[] };
    },
  });
}

export function useUpstream(name: string): QueryResult<Upstream> {
  return useQuery({
    kind: 'configuration',
    key: ['upstream', name],
    also: ['tool', 'security'],
    enabled: hasRole(useSession(), READERS),
    read: async (api, signal) => {
      const { data, response, ...rest } = await api.GET('/v1/upstreams/{name}', { params: { path: { name } }, signal });
      if (!data) return { ...rest, response };
      return { ...rest, response, data: { ...data, etag: response.headers.get('etag') ?? '' } };
    },
  });
}

/** A tool with its definitions; null: the upstream has none of this exact name. */
export function useUpstreamTool(name: string, tool: string): QueryResult<UpstreamTool | null> {
  return useQuery({
    kind: 'configuration',
    key: ['upstream-tool', name, tool],
    also: ['tool', 'security'],
    read: async (api, signal) => {
      const params = { path: { name }, query: { tool, limit: 1 } };
      const { data, ...rest } = await api.GET('/v1/upstreams/{name}/tools', { params, signal });
      return { ...rest, data: data && (data.items[0] ?? null) };
    },
  });
}
