import { useMemo, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { Skeleton } from '../elements/states.js';
import { FormDialog } from '../forms/form-dialog.js';
import { Link } from '../navigation/link.js';
import type { DraftCheck } from './draft-checker.js';
import type { DraftRecord } from './draft-record.js';
import { EditorPlace } from './editor-place.js';
import type { PlacedError } from './error-places.js';
import type { Span } from './json-places.js';
import { type ActivePolicy, useActivePolicy, useBundle, versionHref, versionWord } from './policy-queries.js';
import { ProblemsList } from './problems-list.js';
import { PublishDialog } from './publish-dialog.js';
import { useChangeRefusal } from './rights.js';
import { RuleChanges } from './rule-changes.js';
import { policyDiff } from './rule-diff.js';
import { type Simulation, SimulationPanel } from './simulation-panel.js';
import { Since } from './since.js';
import { useDraftCheck } from './use-draft-check.js';

interface DraftEditorProps {
  record: DraftRecord;
  onRecord: (record: DraftRecord) => void;
  onDiscard: () => void;
}

const NO_ERRORS: readonly PlacedError[] = [];

/** The draft with its checks, what it changes, its simulation and its publication. */
export function DraftEditor({ record, onRecord, onDiscard }: DraftEditorProps) {
  const [begun] = useState(record);
  const [selected, setSelected] = useState<Span>();
  const [report, setReport] = useState<Simulation>();
  const check = useDraftCheck(record.text);
  const active = useActivePolicy().data;
  // between a key and its check nothing is known of the draft: neither simulated nor published is what it was before
  const [is_typing, setTyping] = useState(false);
  const write = (text: string) => {
    setTyping(false);
    onRecord({ base: begun.base, active: begun.active, text });
  };
  const good = !is_typing && check?.kind === 'good' && check.text === record.text ? check : undefined;
  return (
    <div class="policies-draft">
      <div class="stack">
        <DraftHead record={record} good={good} active={active} report={report} onDiscard={onDiscard} />
        {active && <ActivatedMeanwhile record={record} active={active} />}
        <EditorPlace
          initial={begun.text}
          errors={check?.kind === 'faulty' ? check.errors : NO_ERRORS}
          selected={selected}
          onTyping={() => setTyping(true)}
          onText={write}
        />
      </div>
      <div class="stack">
        <ProblemsList check={is_typing ? undefined : check} onSelect={({ from, to }) => setSelected({ from, to })} />
        {active && <DraftChanges good={good} active={active} />}
      </div>
      <div class="policies-draft-wide">
        <SimulationPanel simulated={good && { bundle: good.draft }} digest={good?.answer.bundle_digest ?? undefined} onReport={setReport} />
      </div>
    </div>
  );
}

type Good = Extract<DraftCheck, { kind: 'good' }>;

interface DraftHeadProps {
  record: DraftRecord;
  good: Good | undefined;
  active: ActivePolicy | undefined;
  report: Simulation | undefined;
  onDiscard: () => void;
}

function DraftHead({ record, good, active, report, onDiscard }: DraftHeadProps) {
  const [asked, setAsked] = useState<'publish' | 'discard'>();
  const refused = useChangeRefusal();
  const close = () => setAsked(undefined);
  return (
    <div class="row row-spread">
      <p class="soft">
        {record.base === null ? 'A new draft' : <InertText text={`A copy of ${versionWord(record.base)}`} />}, kept in this tab until you
        publish or discard it.
      </p>
      <div class="row">
        <Button look="quiet" onClick={() => setAsked('discard')}>
          Discard
        </Button>
        <Button
          look="primary"
          disabled={refused !== undefined || !good || !active}
          title={refused ?? (good ? undefined : 'Correct the errors of the draft first.')}
          onClick={() => setAsked('publish')}
        >
          Publish
        </Button>
      </div>
      {refused && <p class="soft">{refused}</p>}
      {asked === 'publish' && good && active && (
        <PublishDialog draft={good} active={active} report={report} onPublished={onDiscard} onClose={close} />
      )}
      {asked === 'discard' && (
        <FormDialog
          title="Discard this draft?"
          action="Discard"
          look="danger"
          is_pending={false}
          problem={undefined}
          onSubmit={onDiscard}
          onClose={close}
        >
          <p>What you wrote in this tab is lost. Published versions stay as they are.</p>
        </FormDialog>
      )}
    </div>
  );
}

/** Somebody activated another version after the draft was begun. */
function ActivatedMeanwhile({ record, active }: { record: DraftRecord; active: ActivePolicy }) {
  const [latest] = active.history;
  if (active.version === record.active || !latest) return null;
  return (
    <div class="policies-note" role="status">
      <p>
        {active.version === null ? (
          'The policy was deactivated'
        ) : (
          <>
            <Link href={versionHref(active.version)}>
              Version <InertText text={active.version} />
            </Link>{' '}
            was activated
          </>
        )}{' '}
        <Since at={latest.activated_at} by={latest.by} />, after you began this draft. The changes are shown against it.
      </p>
    </div>
  );
}

function DraftChanges({ good, active }: { good: Good | undefined; active: ActivePolicy }) {
  const before = useBundle(active.version);
  const kept = good?.answer.bundle;
  const diff = useMemo(() => kept && before.data && policyDiff(before.data, kept), [kept, before.data]);
  return (
    <Panel title="What it changes">
      {!good && <p class="soft">Shown once the draft has no errors.</p>}
      {good && !before.data && <Skeleton lines={3} />}
      {diff && <RuleChanges diff={diff} names={[versionWord(active.version), 'the draft']} />}
    </Panel>
  );
}
