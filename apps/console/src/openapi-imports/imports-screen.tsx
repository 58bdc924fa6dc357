import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Panel, Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useInfinite } from '../gateway/use-infinite.js';
import { Link } from '../navigation/link.js';
import { useNavigate, useQueryState } from '../navigation/navigation.js';
import { IMPORTERS, type ImportSummary, importAgainPath, importPath } from './import.js';
import { ImportFlow } from './import-flow.js';

const COLUMNS: readonly Column<ImportSummary>[] = [
  { id: 'name', title: 'Import', cell: ({ name }) => <InertText text={name} mono />, width: '150px' },
  {
    id: 'title',
    title: 'Document',
    cell: ({ title }) => <InertText text={title} characters_max={100} />,
    width: 'minmax(0, 1.2fr)',
    is_wide_only: true,
  },
  {
    id: 'server',
    title: 'Server',
    cell: ({ base_url }) => <InertText text={base_url} characters_max={120} mono />,
    width: 'minmax(0, 1.4fr)',
  },
  {
    id: 'version',
    title: 'Version',
    cell: ({ document_version }) => <InertText text={document_version} characters_max={30} />,
    width: '100px',
    is_wide_only: true,
  },
  { id: 'tools', title: 'Tools', cell: ({ tools }) => `${tools} ${tools === 1 ? 'tool' : 'tools'}`, width: '90px' },
  { id: 'at', title: 'Imported', cell: ({ imported_at }) => <RelativeTime at={imported_at} />, width: '120px', align: 'end' },
];

/** `/openapi-imports`: OpenAPI documents whose operations are tools. */
export default function ImportsScreen() {
  const [importing] = useQueryState('import');
  const refused = refusalOf(useSession(), IMPORTERS);
  const go = useNavigate();
  if (importing !== '')
    return (
      <Screen
        title={importing === 'new' ? 'Import an OpenAPI document' : `Import ${importing.slice(0, 16)} again`}
        about={
          <Link href="/openapi-imports" class="import-back">
            All imports
          </Link>
        }
      >
        <ImportFlow key={importing} name={importing === 'new' ? '' : importing.slice(0, 16)} refused={refused} />
      </Screen>
    );
  return (
    <Screen
      title="OpenAPI imports"
      about="Documents whose operations are tools: decided, approved and recorded like any other."
      actions={
        <Button look="primary" icon="plus" onClick={() => go(importAgainPath())} disabled={refused !== undefined} title={refused}>
          Import a document
        </Button>
      }
    >
      {refused && <p class="soft">{refused}</p>}
      <List />
    </Screen>
  );
}

function List() {
  const list = useInfinite<ImportSummary>({
    kind: 'configuration',
    key: ['openapi-imports'],
    read: (api, cursor, signal) => api.GET('/v1/openapi-imports', { params: { query: { limit: 50, ...(cursor && { cursor }) } }, signal }),
  });
  const { items, problem } = list;
  if (list.is_loading) return <Skeleton lines={5} label="Loading the imports" />;
  if (!items) return problem ? <ErrorState problem={problem} retry={list.refresh} /> : null;
  if (items.length === 0)
    return (
      <Panel>
        <EmptyState icon="imports" title="No imports yet">
          Import an OpenAPI document by file or address. You see each tool that it would make before anything is recorded.
        </EmptyState>
      </Panel>
    );
  return (
    <Table
      label="OpenAPI imports"
      columns={COLUMNS}
      items={items}
      keyOf={({ name }) => name}
      hrefOf={({ name }) => importPath(name)}
      more={list}
    />
  );
}
