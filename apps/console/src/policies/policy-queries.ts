import type { Gateway } from '../gateway/gateway.js';
import type { Schemas } from '../gateway/schemas.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { useQuery } from '../gateway/use-query.js';
import { NO_RULES } from './rule-diff.js';

export type PolicySummary = Schemas['PolicySummary'];
export type Policy = Schemas['Policy'];
/** The active policy with its ETag: sent as If-Match, so that what somebody else activates meanwhile is not replaced. */
export type ActivePolicy = Schemas['ActivePolicy'] & { etag: string | undefined };

/** More versions than a tenant makes in years; the list says if there are more. */
const VERSIONS_MAX = 500;

export async function readActive(api: Gateway['api'], signal?: AbortSignal) {
  const { data, response, ...rest } = await api.GET('/v1/policies/active', { ...(signal && { signal }) });
  return { ...rest, response, data: data && { ...data, etag: response.headers.get('etag') ?? undefined } };
}

export const useActivePolicy = () =>
  useQuery<ActivePolicy>({ kind: 'configuration', key: ['policy-in-force'], read: (api, signal) => readActive(api, signal) });

export const useVersions = () =>
  useInfinite<PolicySummary>({
    kind: 'configuration',
    key: ['policy-versions'],
    read: (api, cursor, signal) =>
      api.GET('/v1/policies', { params: { query: { limit: VERSIONS_MAX, ...(cursor && { cursor }) } }, signal }),
  });

/** Names below /v1/policies that are no versions. */
const RESERVED = new Set(['active', 'tools', 'settings']);

/** Whether a name out of the address can be that of a version. */
export const isVersionName = (name: string): boolean => /^[\w.-]{1,64}$/.test(name) && !/^\.+$/.test(name) && !RESERVED.has(name);

/** A version with its rules. They never change, so that events do not make it read again. */
export const usePolicy = (version: string | null | undefined) =>
  useQuery<Policy>({
    kind: 'other',
    id: `policy ${version}`,
    enabled: typeof version === 'string' && isVersionName(version),
    read: (api, signal) => api.GET('/v1/policies/{version}', { params: { path: { version: version ?? '' } }, signal }),
  });

/** The rules of a version; of none the built-in rules alone. Undefined until they are read. */
export function useBundle(version: string | null | undefined) {
  const read = usePolicy(version);
  return { ...read, data: version === null ? NO_RULES : read.data?.bundle };
}

/** `version 4`, or what is in force without one. */
export const versionWord = (version: string | null): string => (version === null ? 'no policy' : `version ${version.slice(0, 64)}`);

export const versionHref = (version: string): string => `/policies/${encodeURIComponent(version)}`;
