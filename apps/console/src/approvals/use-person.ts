import type { components } from '@countersign/client/generated/api';
import { useSession } from '../gateway/context.js';
import { useQuery } from '../gateway/use-query.js';
import type { Delegator, Person } from './who-may-vote.js';

type Delegations = components['schemas']['VoteDelegationPage'];

/** The person who decides here, and those who let this person vote for them now. */
export function usePerson(): { person: Person; delegators: readonly Delegator[] } {
  const { principal } = useSession();
  const { data } = useQuery<Delegations>({
    kind: 'configuration',
    key: ['vote-delegations'],
    read: (api, signal) => api.GET('/v1/vote-delegations', { params: { query: { limit: 100 } }, signal }),
  });
  const now_ms = Date.now();
  const mine = (data?.items ?? []).filter(
    ({ to, starts_at, expires_at }) => to === principal.id && Date.parse(starts_at) <= now_ms && Date.parse(expires_at) > now_ms,
  );
  return { person: principal, delegators: mine.map(({ from, tools }) => ({ ...from, tools })) };
}
