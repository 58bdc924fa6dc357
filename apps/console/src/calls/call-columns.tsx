import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import type { Column } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import type { Schemas } from '../gateway/schemas.js';
import { Link } from '../navigation/link.js';
import { offsetText } from '../timeline/time-scale.js';

export type ListedCall = Schemas['CallListItem'];

/** What a row shows. Inputs and outputs are not among it: they can be a megabyte each. */
export const MEMBERS =
  'call_id,tool,status,case_id,principal,on_behalf_of,requested_at,ended_at,duration_ms,cost,deduplicated,saga,summary';

export const callColumns: readonly Column<ListedCall>[] = [
  { id: 'what', title: 'What', width: 'minmax(0, 4fr)', cell: (call) => <What call={call} /> },
  { id: 'status', title: 'Status', width: '148px', cell: ({ status = '' }) => <StatusBadge status={status} /> },
  { id: 'case', title: 'Case', width: '92px', is_wide_only: true, cell: ({ case_id }) => case_id && <CaseLink case_id={case_id} /> },
  { id: 'caller', title: 'Caller', width: '124px', cell: ({ principal }) => <InertText text={principal?.id ?? ''} characters_max={40} /> },
  { id: 'when', title: 'When', width: '84px', cell: ({ requested_at }) => requested_at && <RelativeTime at={requested_at} /> },
  {
    id: 'took',
    title: 'Took',
    width: '72px',
    align: 'end',
    is_wide_only: true,
    cell: ({ duration_ms, ended_at }) => (ended_at && typeof duration_ms === 'number' ? offsetText(duration_ms) : ''),
  },
  { id: 'cost', title: 'Cost', width: '48px', align: 'end', is_wide_only: true, cell: ({ cost }) => (cost ? String(cost) : '') },
];

function What({ call: { summary, tool, deduplicated } }: { call: ListedCall }) {
  return (
    <>
      <InertText text={summary ?? tool ?? ''} characters_max={240} />
      {deduplicated && <span class="faint"> · answered by an earlier call</span>}
    </>
  );
}

/** The end of an id tells cases apart; their beginnings are times. */
function CaseLink({ case_id }: { case_id: string }) {
  return (
    <Link href={`/cases/${encodeURIComponent(case_id)}`} class="cell-link" title={case_id.slice(0, 200)} tabIndex={-1}>
      …<InertText text={case_id.slice(-8)} />
    </Link>
  );
}
