import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import type { Column } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { itemHref, useItem } from './item-href.js';
import { Listed } from './listed.js';
import { ProviderDialog } from './provider-dialog.js';
import { SetProviderForm } from './provider-form.js';
import type { Provider } from './provider-request.js';

const COLUMNS: readonly Column<Provider>[] = [
  { id: 'id', title: 'Provider', cell: ({ provider_id }) => <InertText text={provider_id} characters_max={60} /> },
  { id: 'issuer', title: 'Issuer', cell: ({ issuer }) => <InertText text={issuer} characters_max={120} mono />, width: 'minmax(0, 2fr)' },
  { id: 'sign-in', title: 'Sign-in', cell: ({ sign_in }) => (sign_in ? 'yes' : 'no'), width: '80px', is_wide_only: true },
  { id: 'changed', title: 'Changed', cell: ({ changed_at }) => <RelativeTime at={changed_at} />, width: '130px', is_wide_only: true },
];

/** OpenID providers whose tokens are accepted. */
export function ProvidersTab() {
  const session = useSession();
  const refused = refusalOf(session, ['auditor']);
  const [is_adding, setAdding] = useState(false);
  const [item, close] = useItem();
  const list = useInfinite<Provider>({
    kind: 'configuration',
    key: ['providers'],
    enabled: refused === undefined,
    read: (api, cursor, signal) =>
      api.GET('/v1/identity-providers', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  const chosen = list.items?.find(({ provider_id }) => provider_id === item);
  return (
    <>
      <Listed
        label="Identity providers"
        about="OpenID providers whose tokens are accepted, and with which people sign in."
        add={{ label: 'Add a provider', run: () => setAdding(true), refused: refusalOf(session, ['admin']) }}
        refused={refused}
        list={list}
        is_missing={item !== '' && chosen === undefined}
        columns={COLUMNS}
        keyOf={({ provider_id }) => provider_id}
        hrefOf={({ provider_id }) => itemHref('providers', provider_id)}
        empty="Without a provider people sign in with keys and one-time links."
      />
      {is_adding && <SetProviderForm onClose={() => setAdding(false)} />}
      {chosen && <ProviderDialog item={chosen} onClose={close} />}
    </>
  );
}
