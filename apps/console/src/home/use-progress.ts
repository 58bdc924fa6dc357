import { useQuery } from '../gateway/use-query.js';

/** What of the first steps has happened. */
export interface Progress {
  has_call: boolean;
  /** The active policy; null: only the built-in rules. */
  policy: string | null;
  /** Sent as If-Match, so that a policy that somebody else has activated meanwhile is not replaced. */
  policy_etag: string | undefined;
  has_approved: boolean;
  pending: number;
}

/** Kept up to date by the live stream. Undefined until it is read, or if it cannot be. */
export function useProgress(): Progress | undefined {
  const calls = useQuery({
    kind: 'call',
    key: ['first'],
    read: (api, signal) => api.GET('/v1/calls', { params: { query: { limit: 1, fields: 'call_id' } }, signal }),
  });
  const policy = useQuery({
    kind: 'configuration',
    key: ['active-policy'],
    read: async (api, signal) => {
      const { data, response, ...rest } = await api.GET('/v1/policies/active', { signal });
      return { ...rest, response, data: data && { version: data.version, etag: response.headers.get('etag') ?? undefined } };
    },
  });
  const approved = useQuery({
    kind: 'approval',
    key: ['first-granted'],
    read: (api, signal) => api.GET('/v1/approvals', { params: { query: { status: 'granted', limit: 1, fields: 'approval_id' } }, signal }),
  });
  const summary = usePending();
  if (!calls.data || !policy.data || !approved.data) return undefined;
  return {
    has_call: calls.data.items.length > 0,
    policy: policy.data.version,
    policy_etag: policy.data.etag,
    has_approved: approved.data.items.length > 0,
    pending: summary.data?.pending ?? 0,
  };
}

/** How many approvals wait, by the roles that can decide them. */
export const usePending = () =>
  useQuery({ kind: 'approval', key: ['summary'], read: (api, signal) => api.GET('/v1/approvals/summary', { signal }) });
