import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { Column } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { ChannelDialog } from './channel-dialog.js';
import type { Channel } from './channel-request.js';
import { CreateChannelForm } from './create-channel-form.js';
import { itemHref, useItem } from './item-href.js';
import { Listed } from './listed.js';

const COLUMNS: readonly Column<Channel>[] = [
  { id: 'url', title: 'Address', cell: ({ url }) => <InertText text={url} characters_max={120} mono />, width: 'minmax(0, 2fr)' },
  { id: 'channel', title: 'Kind', cell: ({ channel }) => channel, width: '90px' },
  {
    id: 'types',
    title: 'Notifications',
    cell: ({ types }) => <InertText text={types.join(', ')} characters_max={80} />,
    is_wide_only: true,
  },
  { id: 'changed', title: 'Changed', cell: ({ changed_at }) => <RelativeTime at={changed_at} />, width: '120px', is_wide_only: true },
  { id: 'state', title: 'State', cell: ({ state }) => <ChannelState state={state} />, width: '110px' },
];

const ChannelState = ({ state }: { state: string }) =>
  state === 'active' ? <StatusBadge status="active" /> : <StatusBadge status={state} word="Disabled" tone="neutral" />;

/** Webhooks, chat and mail that receive notifications. */
export function ChannelsTab() {
  const refused = refusalOf(useSession(), ['operator']);
  const [is_adding, setAdding] = useState(false);
  const [item, close] = useItem();
  const list = useInfinite<Channel>({
    kind: 'configuration',
    key: ['channels'],
    enabled: refused === undefined,
    read: (api, cursor, signal) => api.GET('/v1/webhooks', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  const chosen = list.items?.find(({ webhook_id }) => webhook_id === item);
  return (
    <>
      <Listed
        label="Channels"
        about="Webhooks, chat and mail that hear of approvals and other events."
        add={{ label: 'Add a channel', run: () => setAdding(true), refused }}
        refused={refused}
        list={list}
        is_missing={item !== '' && chosen === undefined}
        columns={COLUMNS}
        keyOf={({ webhook_id }) => webhook_id}
        hrefOf={({ webhook_id }) => itemHref('channels', webhook_id)}
        empty="Add a channel, so that people hear of approvals that wait for them."
      />
      {is_adding && <CreateChannelForm onClose={() => setAdding(false)} />}
      {chosen && <ChannelDialog item={chosen} onClose={close} />}
    </>
  );
}
