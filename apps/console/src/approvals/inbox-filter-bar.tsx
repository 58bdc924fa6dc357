import type { components } from '@countersign/client/generated/api';
import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Select, TextField } from '../elements/field.js';
import { useQuery } from '../gateway/use-query.js';
import { useQueryState } from '../navigation/navigation.js';
import { HoldDialog } from './hold-dialog.js';
import { type InboxFilters, STATUSES } from './inbox-filters.js';

type Summary = components['schemas']['ApprovalSummary'];

/** The title of the inbox with its counts, and the filters. */
export function InboxFilterBar({ filters, shown, has_more }: { filters: InboxFilters; shown: number | undefined; has_more: boolean }) {
  const [, setStatus] = useQueryState('status', 'pending');
  const [, setTool] = useQueryState('tool');
  const [, setPrincipal] = useQueryState('principal');
  const [, setMine] = useQueryState('mine');
  const [is_setting, setSetting] = useState(false);
  const [is_open, setOpen] = useState(filters.tool !== '' || filters.principal !== '' || filters.status !== 'pending');
  const { data } = useQuery<Summary>({
    kind: 'approval',
    key: ['summary'],
    read: (api, signal) => api.GET('/v1/approvals/summary', { signal }),
  });
  return (
    <header class="inbox-head">
      <div class="row row-spread">
        <h1 tabIndex={-1}>Approvals</h1>
        <div class="inbox-tools">
          <Button
            look="quiet"
            icon="filter"
            aria-label="Filters"
            aria-expanded={is_open}
            title="Filters"
            onClick={() => setOpen(!is_open)}
          />
          <Button look="quiet" icon="settings" aria-label="Settings of this inbox" title="Settings" onClick={() => setSetting(true)} />
        </div>
      </div>
      <div class="row row-spread inbox-counts">
        <p class="soft" role="status">
          {data && `${data.pending}${data.truncated ? '+' : ''} pending`}
          {shown !== undefined && (filters.is_mine || filters.status !== 'pending' || is_open) && `, ${shown}${has_more ? '+' : ''} shown`}
        </p>
        <label class="inbox-mine">
          <input type="checkbox" checked={filters.is_mine} onChange={() => setMine(filters.is_mine ? '' : '1')} />
          Mine to decide
        </label>
      </div>
      {is_open && (
        <div class="inbox-filters">
          <Select label="Status" value={filters.status} onValue={setStatus} options={STATUSES} />
          <TextField label="Tool" value={filters.tool} onValue={setTool} placeholder="any" characters_max={200} />
          <TextField label="Who asks" value={filters.principal} onValue={setPrincipal} placeholder="any" characters_max={200} />
        </div>
      )}
      {is_setting && <HoldDialog onClose={() => setSetting(false)} />}
    </header>
  );
}
