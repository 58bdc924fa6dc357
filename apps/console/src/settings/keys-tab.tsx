import type { components } from '@countersign/client';
import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { Column } from '../elements/table.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { CreateKeyDialog } from './create-key-dialog.js';
import { itemHref, useItem } from './item-href.js';
import { KeyDialog } from './key-dialog.js';
import { LastUse } from './last-use.js';
import { Listed } from './listed.js';

export type Key = components['schemas']['Key'];

const COLUMNS: readonly Column<Key>[] = [
  { id: 'name', title: 'Key', cell: ({ name, key_prefix }) => <InertText text={name ?? `${key_prefix ?? 'key'}…`} characters_max={60} /> },
  { id: 'principal', title: 'Of', cell: ({ principal }) => <InertText text={principal.id} characters_max={60} /> },
  { id: 'roles', title: 'Roles', cell: ({ principal }) => principal.roles.join(', '), is_wide_only: true },
  { id: 'used', title: 'Last used', cell: ({ last_used_at }) => <LastUse at={last_used_at} />, width: '130px' },
  { id: 'state', title: 'State', cell: ({ state }) => <StatusBadge status={state} />, width: '110px' },
];

/** API keys: who has one, when it was used, and new ones. */
export function KeysTab() {
  const session = useSession();
  const refused = refusalOf(session, ['admin']);
  const [is_creating, setCreating] = useState(false);
  const [item, close] = useItem();
  const list = useInfinite<Key>({
    kind: 'configuration',
    key: ['keys'],
    enabled: refused === undefined,
    read: (api, cursor, signal) => api.GET('/v1/keys', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  const chosen = list.items?.find(({ key_id }) => key_id === item);
  return (
    <>
      <Listed
        label="API keys"
        about="Keys of people, agents and services. A key is shown once, when it is created."
        add={{ label: 'Create a key', run: () => setCreating(true), refused }}
        refused={refused}
        list={list}
        is_missing={item !== '' && chosen === undefined}
        columns={COLUMNS}
        keyOf={({ key_id }) => key_id}
        hrefOf={({ key_id }) => itemHref('keys', key_id)}
        empty="Keys of your people and agents appear here."
      />
      {is_creating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {chosen && <KeyDialog item={chosen} onClose={close} />}
    </>
  );
}
