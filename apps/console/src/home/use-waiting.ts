import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';
import { type QueryResult, useQuery } from '../gateway/use-query.js';
import { pathTo } from '../navigation/match.js';
import { usePending } from './use-progress.js';

/** Something that needs a person. */
export interface Waiting {
  kind: 'approvals' | 'in_doubt' | 'tickets' | 'dead_letters' | 'circuits';
  count: number;
  /** There are more than were counted. */
  is_more: boolean;
  href: string;
}

const COUNTED = 100;
/** The live stream reports neither circuits nor dead letters. */
const REREAD_MS = 30_000;

interface Counts {
  waiting: readonly Waiting[];
  is_loading: boolean;
  /** How many counts could not be read. */
  failed: number;
}

/** What waits for this person, by their roles. */
export function useWaiting(): Counts {
  const session = useSession();
  const { roles } = session.principal;
  const is_operator = hasRole(session, ['operator']);
  const approvals = usePending();
  const in_doubt = useQuery({
    kind: 'call',
    key: ['in-doubt'],
    enabled: is_operator,
    read: (api, signal) => api.GET('/v1/calls', { params: { query: { status: 'in_doubt', limit: COUNTED, fields: 'call_id' } }, signal }),
  });
  const tickets = useQuery({
    kind: 'ticket',
    key: ['open'],
    also: ['saga'],
    enabled: hasRole(session, ['operator', 'auditor']),
    read: (api, signal) => api.GET('/v1/saga-tickets', { params: { query: { status: 'open', limit: COUNTED } }, signal }),
  });
  const dead_letters = useQuery({
    kind: 'other',
    key: ['dead-letters'],
    enabled: is_operator,
    every_ms: REREAD_MS,
    read: (api, signal) => api.GET('/v1/dead-letters', { params: { query: { limit: COUNTED } }, signal }),
  });
  const circuits = useQuery({
    kind: 'tool',
    key: ['circuits'],
    enabled: is_operator,
    every_ms: REREAD_MS,
    read: (api, signal) => api.GET('/v1/circuits', { params: { query: { limit: 500 } }, signal }),
  });
  const open = (circuits.data?.items ?? []).filter(({ state }) => state === 'open');
  const mine = (approvals.data?.groups ?? []).filter(
    (group) => group.approver_roles.length === 0 || group.approver_roles.some((role) => roles.includes(role)),
  );
  const waiting: Waiting[] = [
    {
      kind: 'approvals',
      count: mine.reduce((sum, { pending }) => sum + pending, 0),
      is_more: approvals.data?.truncated ?? false,
      href: '/approvals',
    },
    { kind: 'in_doubt', ...countOf(in_doubt), href: '/calls?status=in_doubt' },
    { kind: 'tickets', ...countOf(tickets), href: '/sagas' },
    { kind: 'dead_letters', ...countOf(dead_letters), href: '/health' },
    {
      kind: 'circuits',
      count: open.length,
      is_more: false,
      href: open[0] && open.length === 1 ? `${pathTo('/tools/:name', { name: open[0].tool })}?tab=trust` : '/health',
    },
  ];
  const all = [approvals, in_doubt, tickets, dead_letters, circuits];
  return {
    waiting,
    is_loading: all.some((one) => one.is_loading),
    failed: all.filter(({ problem, data }) => problem && !data).length,
  };
}

const countOf = ({ data }: QueryResult<{ items: unknown[]; next_cursor?: string | null }>): { count: number; is_more: boolean } => ({
  count: data?.items.length ?? 0,
  is_more: (data?.next_cursor ?? null) !== null,
});
