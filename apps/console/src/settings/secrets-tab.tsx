import type { components } from '@countersign/client';
import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { Column } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { itemHref, useItem } from './item-href.js';
import { Listed } from './listed.js';
import { SecretDialog } from './secret-dialog.js';
import { scopeWord } from './secret-scopes.js';
import { SetSecretForm } from './set-secret-form.js';

type Secret = components['schemas']['SecretListed'];

const idOf = ({ scope, name, user_id }: Secret): string => [scope, name, ...(user_id ? [user_id] : [])].join('/');

const COLUMNS: readonly Column<Secret>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => <InertText text={name} mono /> },
  { id: 'scope', title: 'Of', cell: (secret) => <InertText text={scopeWord(secret)} />, width: '200px' },
  { id: 'version', title: 'Version', cell: ({ version }) => version, width: '80px', is_wide_only: true },
  { id: 'changed', title: 'Changed', cell: ({ changed_at }) => <RelativeTime at={changed_at} />, width: '130px' },
  { id: 'state', title: 'State', cell: ({ expired }) => <StatusBadge status={expired ? 'expired' : 'active'} />, width: '110px' },
];

/** Secrets that tools authenticate with: names and scopes. Their values are write-only. */
export function SecretsTab() {
  const [is_setting, setSetting] = useState(false);
  const [item, close] = useItem();
  const list = useInfinite<Secret>({
    kind: 'configuration',
    key: ['secrets'],
    read: (api, cursor, signal) => api.GET('/v1/secrets', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  const chosen = list.items?.find((secret) => idOf(secret) === item);
  return (
    <>
      <Listed
        label="Secrets"
        about="What tools authenticate with. Nobody can read a value here, and no answer of the API has one."
        add={{ label: 'Set a secret', run: () => setSetting(true), refused: undefined }}
        list={list}
        is_missing={item !== '' && chosen === undefined}
        columns={COLUMNS}
        keyOf={idOf}
        hrefOf={(secret) => itemHref('secrets', idOf(secret))}
        empty="Set the first secret. A tool names the secrets that it uses in its contract."
      />
      {is_setting && <SetSecretForm onClose={() => setSetting(false)} />}
      {chosen && <SecretDialog item={chosen} onClose={close} />}
    </>
  );
}
