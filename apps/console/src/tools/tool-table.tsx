import { EffectTag } from '../effects/effect-tag.js';
import { InertText } from '../elements/inert.js';
import { EmptyState } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { usePlace } from '../navigation/navigation.js';
import { useSecrets } from './secrets.js';
import { ClearFilters } from './tool-filter-bar.js';
import { filterQuery, filtersFrom } from './tool-filters.js';
import { AuthBadge, LifecycleBadge, ToolName, Trust } from './tool-marks.js';
import type { ToolSummary } from './tool-summary.js';

/** Where a tool is shown, with the filters of the list it was found in. */
export const toolPath = (name: string, query: string): string => pathTo('/tools/:name', { name }) + filterQuery(filtersFrom(query));

/** All tools that fit, in rows. */
export function ToolTable({ tools, is_filtered }: { tools: readonly ToolSummary[]; is_filtered: boolean }) {
  const { query } = usePlace();
  const secretOf = useSecrets();
  if (tools.length === 0) return <NoTools is_filtered={is_filtered} />;
  const columns: Column<ToolSummary>[] = [
    { id: 'name', title: 'Tool', width: 'minmax(0, 1.5fr)', cell: ({ name }) => <ToolName name={name} /> },
    {
      id: 'title',
      title: 'What it is',
      width: 'minmax(0, 1.6fr)',
      is_wide_only: true,
      cell: ({ title }) => <InertText text={title} characters_max={90} />,
    },
    { id: 'effect', title: 'Effect', width: '148px', cell: ({ effect_class }) => <EffectTag effect_class={effect_class} /> },
    { id: 'state', title: 'State', width: '128px', cell: (tool) => <State tool={tool} /> },
    { id: 'auth', title: 'Secrets', width: '168px', is_wide_only: true, cell: ({ auth }) => <AuthBadge auth={auth} secretOf={secretOf} /> },
    { id: 'trust', title: 'Trust', width: '104px', cell: ({ trust }) => <Trust score={trust} /> },
  ];
  return <Table label="Tools" columns={columns} items={tools} keyOf={({ name }) => name} hrefOf={({ name }) => toolPath(name, query)} />;
}

/** The state of its lifecycle, or what is worse. */
function State({ tool }: { tool: ToolSummary }) {
  if (tool.circuit === 'open') return <LifecycleBadge lifecycle="circuit open" />;
  return <LifecycleBadge lifecycle={tool.lifecycle} />;
}

function NoTools({ is_filtered }: { is_filtered: boolean }) {
  if (is_filtered)
    return (
      <EmptyState title="No tool fits">
        <p>Change a filter, or search for other words.</p>
        <ClearFilters />
      </EmptyState>
    );
  return (
    <EmptyState icon="tools" title="No tools yet">
      <p>
        Load packs with <code>COUNTERSIGN_PACKS</code>, add an <Link href="/upstreams">upstream MCP server</Link>, import an{' '}
        <Link href="/openapi-imports">OpenAPI document</Link>, or <a href="/docs/tutorials/first-tool">write a tool</a>.
      </p>
    </EmptyState>
  );
}
