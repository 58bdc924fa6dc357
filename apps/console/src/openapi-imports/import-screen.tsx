import { Button } from '../elements/button.js';
import { CopyButton } from '../elements/copy-button.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { JsonTree } from '../elements/json-tree.js';
import { Panel, Screen } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { type Column, Table } from '../elements/table.js';
import { RelativeTime } from '../elements/time-ago.js';
import { refusalOf } from '../forms/refusal.js';
import { useSession } from '../gateway/context.js';
import { useQuery } from '../gateway/use-query.js';
import { Link } from '../navigation/link.js';
import { pathTo } from '../navigation/match.js';
import { useNavigate, useParameter } from '../navigation/navigation.js';
import { IMPORTERS, importAgainPath, type OpenApiImport } from './import.js';
import './imports.css';

type ImportedTool = OpenApiImport['tools'][number];

const COLUMNS: readonly Column<ImportedTool>[] = [
  { id: 'name', title: 'Tool', cell: ({ name }) => <InertText text={name} characters_max={80} mono /> },
  { id: 'operation', title: 'Operation', cell: ({ operation }) => <InertText text={operation} characters_max={120} mono /> },
  { id: 'version', title: 'Version', cell: ({ version }) => version, width: '90px' },
];

const Back = () => (
  <Link href="/openapi-imports" class="import-back">
    All imports
  </Link>
);

/** `/openapi-imports/:name`: an imported document and its tools. */
export default function ImportScreen() {
  const name = useParameter('name');
  const { data, problem, is_loading, refresh } = useQuery({
    kind: 'configuration',
    key: ['openapi-import', name],
    read: (api, signal) => api.GET('/v1/openapi-imports/{name}', { params: { path: { name } }, signal }),
  });
  if (data) return <OneImport found={data} />;
  const is_missing = problem?.status === 404;
  return (
    <Screen title={is_missing ? 'No such import' : name.slice(0, 80)} about={<Back />}>
      {is_loading && <Skeleton lines={8} label="Loading the import" />}
      {is_missing && (
        <EmptyState icon="imports" title="There is no such import">
          No document was imported under the name <code>{name.slice(0, 80)}</code> here.
        </EmptyState>
      )}
      {problem && !is_missing && <ErrorState problem={problem} retry={refresh} />}
    </Screen>
  );
}

function OneImport({ found }: { found: OpenApiImport }) {
  const { name, title, document_version, document_digest, base_url, imported_at, imported_by, tools, options } = found;
  const refused = refusalOf(useSession(), IMPORTERS);
  const go = useNavigate();
  return (
    <Screen
      title={name}
      about={
        <span class="row">
          <Back /> <InertText text={title} characters_max={160} />
        </span>
      }
      actions={
        <Button onClick={() => go(importAgainPath(name))} disabled={refused !== undefined} title={refused}>
          Import it again
        </Button>
      }
    >
      {refused && <p class="soft">{refused}</p>}
      <Panel title="The document">
        <Facts
          facts={[
            ['Version', <InertText key="v" text={document_version} characters_max={60} />],
            ['Server', <InertText key="s" text={base_url} mono />],
            [
              'Imported',
              <span key="i">
                <RelativeTime at={imported_at} /> by <InertText text={imported_by.id} />
              </span>,
            ],
            [
              'Digest',
              <span key="d" class="row">
                <code>{document_digest.slice(0, 16)}…</code> <CopyButton text={document_digest} label="Copy the digest" is_icon />
              </span>,
            ],
          ]}
        />
        <details class="import-options">
          <summary>What was declared beside it</summary>
          <JsonTree value={options} open_levels={2} />
        </details>
      </Panel>
      {tools.length === 0 ? (
        <EmptyState icon="tools" title="It has no tools" />
      ) : (
        <Table
          label="Tools of the import"
          columns={COLUMNS}
          items={tools}
          keyOf={({ name: tool }) => tool}
          hrefOf={({ name: tool }) => pathTo('/tools/:name', { name: tool })}
        />
      )}
    </Screen>
  );
}
