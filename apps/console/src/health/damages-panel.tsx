import { InertText } from '../elements/inert.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { ListPanel } from './list-panel.js';
import { type Damage, OVERSIGHT, type useDamages } from './lists.js';

function placeOf({ topic, partition, first_offset, last_offset, kind }: Damage): string {
  if (topic === null) return kind;
  const offsets = first_offset === null ? '' : ` ${first_offset}${last_offset === first_offset ? '' : `–${last_offset ?? '…'}`}`;
  return `${kind}: ${topic}${partition === null ? '' : `/${partition}`}${offsets}`;
}

const COLUMNS: readonly Column<Damage>[] = [
  { id: 'place', title: 'Where', cell: (damage) => <InertText text={placeOf(damage)} mono /> },
  { id: 'reason', title: 'Reason', cell: ({ reason }) => <InertText text={reason} />, width: 'minmax(0, 2fr)' },
  { id: 'by', title: 'Found by', cell: ({ found_by }) => <InertText text={found_by} />, width: '100px' },
  { id: 'at', title: 'Found', cell: ({ found_at }) => <RelativeTime at={found_at} />, width: '100px', align: 'end' },
];

export function DamagesPanel({ list }: { list: ReturnType<typeof useDamages> }) {
  return (
    <ListPanel
      id="damages"
      title="Damages"
      about="Places where the record differs from its signature. Find the cause and restore them before you accept one."
      roles={OVERSIGHT}
      list={list}
      empty="The record agrees with its signature"
      actions={<a href="/docs/how-to/auditors">About proofs and damages</a>}
    >
      {(items) => <Table label="Damages" columns={COLUMNS} items={items} keyOf={({ damage_id }) => damage_id} more={list} />}
    </ListPanel>
  );
}
