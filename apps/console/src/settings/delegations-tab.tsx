import type { components } from '@countersign/client';
import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import type { Column } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { DelegateForm } from './delegate-form.js';
import { DelegationDialog } from './delegation-dialog.js';
import { itemHref, useItem } from './item-href.js';
import { Listed } from './listed.js';

type Delegation = components['schemas']['VoteDelegationInForce'];

const COLUMNS: readonly Column<Delegation>[] = [
  { id: 'from', title: 'Votes of', cell: ({ from }) => <InertText text={from.id} characters_max={60} /> },
  { id: 'to', title: 'Are cast by', cell: ({ to }) => <InertText text={to} characters_max={60} /> },
  {
    id: 'tools',
    title: 'Tools',
    cell: ({ tools }) => <InertText text={tools.join(', ') || 'all'} characters_max={80} />,
    is_wide_only: true,
  },
  { id: 'reason', title: 'Reason', cell: ({ reason }) => <InertText text={reason} characters_max={80} />, is_wide_only: true },
  { id: 'until', title: 'Ends', cell: ({ expires_at }) => <RelativeTime at={expires_at} />, width: '130px' },
];

/** Who votes instead of whom. */
export function DelegationsTab() {
  const { principal } = useSession();
  const [is_adding, setAdding] = useState(false);
  const [item, close] = useItem();
  const list = useInfinite<Delegation>({
    kind: 'configuration',
    key: ['vote-delegations'],
    read: (api, cursor, signal) => api.GET('/v1/vote-delegations', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  const refused = principal.kind === 'user' ? undefined : 'Only people can delegate votes.';
  const chosen = list.items?.find(({ delegation_id }) => delegation_id === item);
  return (
    <>
      <Listed
        label="Vote delegations"
        about="Who votes instead of whom, for example during a leave. Four eyes apply to both."
        add={{ label: 'Delegate your votes', run: () => setAdding(true), refused }}
        list={list}
        is_missing={item !== '' && chosen === undefined}
        columns={COLUMNS}
        keyOf={({ delegation_id }) => delegation_id}
        hrefOf={({ delegation_id }) => itemHref('delegations', delegation_id)}
        empty="Delegate your votes before you leave: approvals do not wait then."
      />
      {is_adding && <DelegateForm onClose={() => setAdding(false)} />}
      {chosen && <DelegationDialog item={chosen} onClose={close} />}
    </>
  );
}
