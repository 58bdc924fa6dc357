import { useEffect, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useNavigate, useQueryState } from '../navigation/navigation.js';
import { bundleText, EXAMPLE_TEXT } from './bundle-text.js';
import { DraftEditor } from './draft-editor.js';
import type { DraftRecord } from './draft-record.js';
import { isVersionName, useActivePolicy, usePolicy, versionWord } from './policy-queries.js';
import { useDraftRefusal } from './rights.js';
import { useDraftRecord } from './use-draft-record.js';
import './draft.css';

const EMPTY_TEXT = '{\n  "rules": []\n}\n';

/** A draft of the next version: where it begins, then its editor. */
export function DraftTab() {
  const refused = useDraftRefusal();
  const [record, write, clear] = useDraftRecord();
  // another draft is another editor
  const [drafts, setDrafts] = useState(0);
  const start = (next: DraftRecord) => {
    write(next);
    setDrafts(drafts + 1);
  };
  if (refused)
    return (
      <Panel>
        <EmptyState icon="key" title="You may read policies, not write them">
          {refused}
        </EmptyState>
      </Panel>
    );
  return (
    <div class="stack">
      <FromVersion record={record} onStart={start} />
      {record ? <DraftEditor key={drafts} record={record} onRecord={write} onDiscard={clear} /> : <Beginnings onStart={start} />}
    </div>
  );
}

interface BeginningProps {
  onStart: (record: DraftRecord) => void;
}

/** A link named a version to begin from. A draft that is there already is not replaced without asking. */
function FromVersion({ record, onStart }: BeginningProps & { record: DraftRecord | undefined }) {
  const [from] = useQueryState('from');
  const go = useNavigate();
  const policy = usePolicy(from);
  const active = useActivePolicy().data;
  const done = () => go('/policies?tab=draft', { replace: true });
  const start = () => {
    if (!policy.data || !active) return;
    onStart({ text: bundleText(policy.data.bundle), base: policy.data.version, active: active.version });
    done();
  };
  const is_ready = from !== '' && policy.data !== undefined && active !== undefined;
  useEffect(() => {
    if (is_ready && !record) start();
  }, [is_ready]);
  if (!isVersionName(from)) return null;
  if (policy.problem && !policy.data) return <ErrorState problem={policy.problem} />;
  if (!record || !is_ready) return <Skeleton lines={2} />;
  return (
    <div class="policies-note" role="status">
      <p>
        You have a draft that is not published{record.base !== null && `, begun from ${versionWord(record.base)}`}. Begin a new one from{' '}
        <InertText text={versionWord(from)} />?
      </p>
      <div class="row">
        <Button onClick={done}>Keep my draft</Button>
        <Button look="danger" onClick={start}>
          Replace my draft
        </Button>
      </div>
    </div>
  );
}

/** Without a draft: what to begin from. */
function Beginnings({ onStart }: BeginningProps) {
  const active = useActivePolicy();
  const policy = usePolicy(active.data?.version);
  if (active.is_loading) return <Skeleton lines={4} />;
  if (!active.data) return active.problem ? <ErrorState problem={active.problem} retry={active.refresh} /> : null;
  const version = active.data.version;
  const start = (text: string, base: string | null = null) => onStart({ text, base, active: version });
  const { data } = policy;
  return (
    <Panel>
      <EmptyState icon="policies" title="Begin a draft">
        <p>
          A draft is checked as you type and decides nothing. It becomes a version when you publish it, and decides once that is activated.
        </p>
        <div class="policies-beginnings">
          {version !== null && (
            <Button look="primary" disabled={!data} onClick={() => data && start(bundleText(data.bundle), version)}>
              Edit a copy of {versionWord(version)}
            </Button>
          )}
          <Button look={version === null ? 'primary' : 'default'} onClick={() => start(EXAMPLE_TEXT)}>
            Start from an example
          </Button>
          <Button look="quiet" onClick={() => start(EMPTY_TEXT)}>
            Start empty
          </Button>
        </div>
        <p>
          <a href="/docs/how-to/policies">How rules are written</a>
        </p>
      </EmptyState>
    </Panel>
  );
}
