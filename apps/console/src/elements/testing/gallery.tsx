import { render } from 'preact';
import { useState } from 'preact/hooks';
import { useDraft } from '../../navigation/draft.js';
import { KeyboardProvider } from '../../navigation/keyboard.js';
import { Location } from '../../navigation/location.js';
import { NavigationProvider, useQueryState } from '../../navigation/navigation.js';
import { Button } from '../button.js';
import { Dialog } from '../dialog.js';
import { Diff } from '../diff.js';
import { Select, TextArea, TextField } from '../field.js';
import { InertText } from '../inert.js';
import { JsonTree } from '../json-tree.js';
import { Panel, Screen } from '../screen.js';
import { SearchField } from '../search-field.js';
import { EmptyState, ErrorState, ProblemNote, Skeleton } from '../states.js';
import { StatusBadge, Tag } from '../status-badge.js';
import { Table } from '../table.js';
import { Tabs } from '../tabs.js';
import { RelativeTime } from '../time-ago.js';
import { ToastProvider, useToast } from '../toast.js';
import { HOSTILE } from './hostile-text.js';
import '../tokens.css';
import '../base.css';
import '../fields.css';

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

const STATUSES = [
  'pending_policy',
  'pending_approval',
  'running',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'in_doubt',
  'compensated',
  'open',
  'closed',
];
const started_ms = Date.now();
const rows = Array.from({ length: 2_000 }, (_, at) => ({
  id: `call-${at}`,
  tool: ['refund_payment', 'delete_file', 'send_mail'][at % 3] as string,
  text: HOSTILE[at % HOSTILE.length]?.[1] ?? '',
  status: STATUSES[at % STATUSES.length] as string,
  at: new Date(started_ms - at * 97_000).toISOString(),
}));

const before = { amount: 1250, currency: 'EUR', to: { name: 'Ada', iban: 'DE02' }, notes: ['first', 'second'], 'a/b': true };
const after = { amount: 900, currency: 'EUR', to: { name: 'Ada', iban: 'DE89' }, notes: ['first'], reason: HOSTILE[3]?.[1] };
const problem = {
  title: 'Conflict',
  status: 409,
  detail: 'Bea approved this 3 s before you.',
  request_id: '0198-7c1e',
  validation: { issues: [{ path: '/amount', message: 'must be at most 1000' }] },
};

function TablePanel() {
  const [shown, setShown] = useState(60);
  return (
    <Table
      label="Calls"
      columns={[
        { id: 'tool', title: 'Tool', cell: ({ tool }) => tool, width: '180px' },
        { id: 'text', title: 'Subject', cell: ({ text }) => <InertText text={text} characters_max={120} />, is_wide_only: true },
        { id: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: '170px' },
        { id: 'at', title: 'Requested', cell: ({ at }) => <RelativeTime at={at} />, width: '110px', align: 'end' },
      ]}
      items={rows.slice(0, shown)}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/calls/${id}`}
      more={{ has_more: shown < rows.length, is_loading_more: false, more: () => setShown(rows.length) }}
    />
  );
}

function Controls() {
  const toast = useToast();
  const [is_open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [reason, setReason] = useDraft('gallery:reason');
  const [query, setQuery] = useQueryState('q');
  return (
    <Panel title="Controls" actions={<Tag tone="warn">irreversible</Tag>}>
      <div class="row">
        <Button
          look="primary"
          onClick={() => toast({ tone: 'good', text: 'Approved', action: { label: 'Undo', run: () => setText('undone') } })}
        >
          Approve
        </Button>
        <Button look="danger" onClick={() => setOpen(true)}>
          Deny
        </Button>
        <Button icon="refresh">Refresh</Button>
        <Button look="quiet" icon="more" aria-label="More" />
        <Button is_busy>Sending</Button>
        <SearchField value={query} onValue={setQuery} label="Search calls" />
      </div>
      <TextField label="Amount" hint="In cents" value={text} onValue={setText} error={text === '' ? 'Enter a number above 0' : undefined} />
      <TextArea label="Reason" value={reason} onValue={setReason} />
      <Select
        label="Status"
        value="all"
        onValue={() => undefined}
        options={[
          ['all', 'All'],
          ['open', 'Open'],
        ]}
      />
      {is_open && (
        <Dialog title="Deny this call" onClose={() => setOpen(false)} actions={<Button look="danger">Deny</Button>}>
          <TextArea label="Why" value={text} onValue={setText} required />
        </Dialog>
      )}
    </Panel>
  );
}

function Values() {
  const [tab, setTab] = useQueryState('tab', 'json');
  return (
    <Panel title="Values">
      <Tabs
        label="Values"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: 'json', label: 'JSON', count: 3 },
          { id: 'diff', label: 'Diff' },
          { id: 'hostile', label: 'Hostile' },
        ]}
      >
        {tab === 'json' && (
          <JsonTree value={{ ...before, hostile: Object.fromEntries(HOSTILE), many: Array.from({ length: 300 }, (_, at) => ({ at })) }} />
        )}
        {tab === 'diff' && <Diff before={before} after={after} names={['Proposed', 'Edited']} />}
        {tab === 'hostile' && (
          <ul class="stack">
            {HOSTILE.map(([name, text]) => (
              <li key={name}>
                <h3>{name}</h3>
                <InertText text={text} look="block" />
              </li>
            ))}
          </ul>
        )}
      </Tabs>
    </Panel>
  );
}

/** Every element with ordinary and hostile contents: for specs that look at them without a platform. */
function Gallery() {
  return (
    <main>
      <Screen title="Gallery" about={<RelativeTime at={rows[5]?.at ?? ''} />}>
        <Controls />
        <Values />
        <Panel title="Status">
          <div class="row">
            {STATUSES.map((status) => (
              <StatusBadge key={status} status={status} />
            ))}
          </div>
        </Panel>
        <Panel title="States">
          <ProblemNote problem={problem} />
          <ErrorState problem={problem} retry={() => undefined} />
          <EmptyState title="No calls yet">Calls of your agents appear here.</EmptyState>
          <Skeleton />
        </Panel>
        <TablePanel />
      </Screen>
    </main>
  );
}

render(
  <NavigationProvider location={new Location(window)}>
    <KeyboardProvider>
      <ToastProvider>
        <Gallery />
      </ToastProvider>
    </KeyboardProvider>
  </NavigationProvider>,
  document.getElementById('console') as HTMLElement,
);
