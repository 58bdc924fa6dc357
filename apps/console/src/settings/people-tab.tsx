import type { components } from '@countersign/client';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { Column } from '../elements/table.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { useQuery } from '../gateway/use-query.js';
import { itemHref, useItem } from './item-href.js';
import { LastUse } from './last-use.js';
import { Listed } from './listed.js';

type Principal = components['schemas']['PrincipalListItem'];

const COLUMNS: readonly Column<Principal>[] = [
  { id: 'id', title: 'Id', cell: ({ principal_id }) => <InertText text={principal_id ?? ''} characters_max={80} /> },
  { id: 'kind', title: 'Kind', cell: ({ kinds }) => kinds?.join(', '), width: '120px' },
  { id: 'roles', title: 'Roles', cell: ({ roles }) => roles?.join(', ') || 'none', is_wide_only: true },
  { id: 'seen', title: 'Last seen', cell: ({ last_seen_at }) => <LastUse at={last_seen_at} />, width: '130px' },
  { id: 'state', title: 'State', cell: ({ state }) => <StatusBadge status={state ?? 'unknown'} {...inactive(state)} />, width: '110px' },
];

const inactive = (state: string | undefined) => (state === 'inactive' ? ({ word: 'Inactive', tone: 'neutral' } as const) : {});

/** People, agents and services that have or had a key, or came from an identity provider. */
export function PeopleTab() {
  const refused = refusalOf(useSession(), ['auditor']);
  const [item, close] = useItem();
  const list = useInfinite<Principal>({
    kind: 'configuration',
    key: ['principals'],
    enabled: refused === undefined,
    read: (api, cursor, signal) => api.GET('/v1/principals', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  return (
    <>
      <Listed
        label="People and principals"
        about="Who has or had a key, and people of identity providers. A role comes with a key or from the provider."
        refused={refused}
        list={list}
        columns={COLUMNS}
        keyOf={({ principal_id }) => principal_id ?? ''}
        hrefOf={({ principal_id }) => itemHref('people', principal_id ?? '')}
        empty="People and agents appear here when they have a key."
      />
      {item !== '' && refused === undefined && <PrincipalDialog id={item} onClose={close} />}
    </>
  );
}

function PrincipalDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, problem, is_loading, refresh } = useQuery({
    kind: 'configuration',
    id,
    key: ['principal'],
    read: (api, signal) => api.GET('/v1/principals/{principal_id}', { params: { path: { principal_id: id } }, signal }),
  });
  return (
    <Dialog title="Principal" onClose={onClose}>
      {is_loading && <Skeleton />}
      {!data && problem && <ErrorState problem={problem} retry={refresh} />}
      {data && (
        <>
          <Facts
            facts={[
              ['Id', <InertText key="i" text={data.principal_id} />],
              ['Roles', data.roles.join(', ') || 'none'],
              ['Last seen', <LastUse key="l" at={data.last_seen_at} />],
            ]}
          />
          <h3>Known from</h3>
          <ul class="settings-attempts">
            {data.identities.map(({ source, issuer, kind, roles, state }) => (
              <li key={`${issuer} ${kind}`}>
                <span>
                  {source === 'key' ? `API keys (${kind})` : <InertText text={`${issuer} (${kind})`} />}: {roles.join(', ') || 'no roles'}
                </span>
                <StatusBadge status={state} {...inactive(state)} />
              </li>
            ))}
          </ul>
          <h3>Keys</h3>
          <ul class="settings-attempts">
            {data.keys.map(({ key_id, key_prefix, name, state, last_used_at }) => (
              <li key={key_id}>
                <span>
                  <InertText text={name ?? `${key_prefix ?? 'key'}…`} /> · <LastUse at={last_used_at} />
                </span>
                <StatusBadge status={state} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
