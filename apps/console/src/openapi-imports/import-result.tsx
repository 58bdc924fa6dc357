import { Notice } from '../elements/notice.js';
import { Panel } from '../elements/screen.js';
import { Link } from '../navigation/link.js';
import { countOf, type ImportedDocument, importPath } from './import.js';
import { PlanView } from './plan-view.js';

/** What an import changed. */
export function ImportResult({ result }: { result: ImportedDocument }) {
  const { name, announced, tools } = result;
  return (
    <Panel title={`${name} is imported`}>
      {announced < tools.length && (
        <Notice tone="busy" title={`${announced} of ${countOf(tools.length, 'tool')} can be called by now.`}>
          Executors announce the others within a moment.
        </Notice>
      )}
      <PlanView plan={result} is_done />
      <p>
        <Link href={importPath(name)}>Open the import</Link>
      </p>
    </Panel>
  );
}
