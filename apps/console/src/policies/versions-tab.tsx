import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { StatusBadge } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { type PolicySummary, useVersions, versionHref } from './policy-queries.js';

const COLUMNS: readonly Column<PolicySummary>[] = [
  { id: 'version', title: 'Version', cell: ({ version }) => <InertText text={version} characters_max={64} />, width: 'minmax(0, 1.2fr)' },
  { id: 'state', title: 'State', cell: (policy) => <VersionState policy={policy} />, width: '130px' },
  { id: 'by', title: 'Published by', cell: ({ published_by }) => <InertText text={published_by} characters_max={120} /> },
  { id: 'at', title: 'Published', cell: ({ published_at }) => <RelativeTime at={published_at} />, width: '130px' },
  {
    id: 'simulated',
    title: 'Simulated',
    cell: ({ simulation_digest }) => (simulation_digest ? 'yes' : 'no'),
    width: '100px',
    is_wide_only: true,
  },
];

/** Whether a version decides, runs beside, or is only kept. */
export function VersionState({ policy: { active, shadow } }: { policy: Pick<PolicySummary, 'active' | 'shadow'> }) {
  if (active) return <StatusBadge status="active" />;
  if (shadow) return <StatusBadge status="shadow" word="In shadow" tone="busy" />;
  return <StatusBadge status="kept" word="Not active" tone="neutral" />;
}

/** Every published version, newest first. A version leads to its rules and what it changes. */
export function VersionsTab() {
  const list = useVersions();
  if (list.is_loading) return <Skeleton lines={6} />;
  if (!list.items) return list.problem ? <ErrorState problem={list.problem} retry={list.refresh} /> : null;
  if (list.items.length === 0)
    return (
      <Panel>
        <EmptyState icon="policies" title="No version is published">
          A draft becomes a version when it is published. Versions never change, so that each decision names the rules it was made by.
        </EmptyState>
      </Panel>
    );
  const newest_first = [...list.items].sort((a, b) => (a.published_at < b.published_at ? 1 : -1));
  return (
    <Table
      label="Versions of the policy"
      columns={COLUMNS}
      items={newest_first}
      keyOf={({ version }) => version}
      hrefOf={({ version }) => versionHref(version)}
      more={list}
    />
  );
}
