import type { ComponentChildren } from 'preact';
import { EffectTag } from '../effects/effect-tag.js';
import { InertText } from '../elements/inert.js';
import type { Tone } from '../elements/status.js';
import { StatusBadge, Tag } from '../elements/status-badge.js';
import { type Column, Table } from '../elements/table.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { changesText, countOf, type ImportPlan, type PlannedTool } from './import.js';

const CHANGES: Readonly<Record<PlannedTool['change'], readonly [word: string, tone: Tone]>> = {
  new: ['New', 'good'],
  changed: ['Changed', 'warn'],
  unchanged: ['Unchanged', 'neutral'],
};

const ORDER: readonly PlannedTool['change'][] = ['changed', 'new', 'unchanged'];

const COLUMNS: readonly Column<PlannedTool>[] = [
  { id: 'name', title: 'Tool', cell: ({ name }) => <InertText text={name} characters_max={80} mono />, width: 'minmax(0, 1.3fr)' },
  {
    id: 'operation',
    title: 'Operation',
    cell: ({ operation }) => <InertText text={operation} characters_max={100} mono />,
    width: 'minmax(0, 1.3fr)',
    is_wide_only: true,
  },
  { id: 'effect', title: 'Effect', cell: ({ effect_class }) => <EffectTag effect_class={effect_class} />, width: '150px' },
  {
    id: 'change',
    title: 'Change',
    cell: ({ change }) => <StatusBadge status={change} word={CHANGES[change][0]} tone={CHANGES[change][1]} />,
    width: '110px',
  },
  { id: 'version', title: 'Version', cell: ({ version }) => version, width: '80px' },
  {
    id: 'warnings',
    title: 'Warnings',
    cell: ({ warnings }) => (warnings.length === 0 ? <span class="faint">none</span> : <Tag tone="warn">{String(warnings.length)}</Tag>),
    width: '80px',
    is_wide_only: true,
  },
];

type Report = Pick<
  ImportPlan,
  'name' | 'title' | 'document_version' | 'base_url' | 'operations' | 'tools' | 'skipped' | 'removed' | 'secrets' | 'warnings'
>;

/** What an import would do, or did: its tools with their effects, and what is left out with the reason. */
export function PlanView({ plan, is_done = false }: { plan: Report; is_done?: boolean }) {
  const { title, document_version, base_url, operations, tools, skipped, removed } = plan;
  const sorted = tools.toSorted((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
  return (
    <div class="stack">
      <p>
        <InertText text={title} characters_max={160} /> <InertText text={document_version} characters_max={40} />{' '}
        <span class="soft">
          at <InertText text={base_url} characters_max={200} mono />
        </span>
      </p>
      <p role="status">
        <strong>{countOf(operations, 'operation')}</strong>: {changesText(tools)}
        {skipped.length > 0 && `, ${skipped.length} not imported`}
        {removed.length > 0 && `, ${removed.length} no longer in it`}.
      </p>
      <Warnings plan={plan} />
      <Secrets secrets={plan.secrets} />
      {sorted.length > 0 && (
        <Table
          label="Tools of the document"
          columns={COLUMNS}
          items={sorted}
          keyOf={({ name }) => name}
          {...(is_done ? { hrefOf: ({ name }: PlannedTool) => pathTo('/tools/:name', { name }) } : {})}
        />
      )}
      <Reasons title={`Not imported: ${skipped.length}`} items={skipped.map(({ operation, reason }) => [operation, reason])} />
      <Reasons
        title={`No longer in the document: ${removed.length}`}
        items={removed.map(({ name, version }) => [`${name} ${version}`, 'its versions stay until a person blocks them'])}
      />
    </div>
  );
}

const SHOWN = 200;

/** Names with what is said of each; open if they are few. */
function Reasons({ title, items }: { title: string; items: readonly (readonly [name: string, reason: string])[] }) {
  if (items.length === 0) return null;
  return (
    <Fold title={title} is_open={items.length <= 10}>
      <ul class="import-reasons">
        {items.slice(0, SHOWN).map(([name, reason]) => (
          <li key={name + reason}>
            <InertText text={name} characters_max={120} mono /> <InertText text={reason} characters_max={300} />
          </li>
        ))}
        {items.length > SHOWN && <li class="faint">and {items.length - SHOWN} more</li>}
      </ul>
    </Fold>
  );
}

function Warnings({ plan: { tools, warnings } }: { plan: Report }) {
  const all = [
    ...warnings.map((text) => ['The document', text] as const),
    ...tools.flatMap((tool) => tool.warnings.map((text) => [tool.name, text] as const)),
  ];
  return <Reasons title={`Warnings: ${all.length}`} items={all} />;
}

function Secrets({ secrets }: { secrets: Report['secrets'] }) {
  if (secrets.length === 0) return null;
  const missing = secrets.filter(({ is_set }) => !is_set).length;
  return (
    <Fold
      title={missing === 0 ? `Secrets: ${secrets.length}, all set` : `Secrets: ${missing} of ${secrets.length} to be set`}
      is_open={missing > 0}
    >
      <ul class="import-reasons">
        {secrets.slice(0, SHOWN).map(({ name, is_set }) => (
          <li key={name}>
            <InertText text={name} characters_max={120} mono />{' '}
            <StatusBadge status={is_set ? 'set' : 'missing'} tone={is_set ? 'good' : 'bad'} word={is_set ? 'Set' : 'Missing'} />
          </li>
        ))}
      </ul>
      {missing > 0 && (
        <p class="soft">
          Calls fail without them. Set them under <Link href="/settings?tab=secrets">Settings, Secrets</Link>, for the workspace.
        </p>
      )}
    </Fold>
  );
}

const Fold = ({ title, is_open, children }: { title: string; is_open: boolean; children: ComponentChildren }) => (
  <details class="import-options" open={is_open || undefined}>
    <summary>{title}</summary>
    {children}
  </details>
);
