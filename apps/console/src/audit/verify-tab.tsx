import { useEffect, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { DropZone } from '../elements/drop-zone.js';
import { TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { EmptyState, ErrorState, Skeleton } from '../elements/states.js';
import { useIsWide } from '../elements/use-wide.js';
import { useNavigate } from '../navigation/navigation.js';
import type { Subject } from './check.js';
import { KeysPanel } from './keys-panel.js';
import { hrefOf, type Picked, picked, textOf } from './picked.js';
import type { PinnedKeys } from './pinned-keys.js';
import { type CheckState, useCheck } from './use-check.js';
import { VerificationView } from './verification-view.js';

interface VerifyTabProps {
  subject: Subject | undefined;
  keys: readonly PinnedKeys[];
  onKeysChanged: () => void;
  onFile: (file: File) => void;
}

/** Picks what to verify, and shows the outcome. */
export function VerifyTab({ subject, keys, onKeysChanged, onFile }: VerifyTabProps) {
  const [round, setRound] = useState(0);
  const state = useCheck(subject, keys, round);
  const is_wide = useIsWide();
  const again = () => setRound(round + 1);
  const start = (
    <div class="audit-columns audit-start" key="start">
      <Panel title="What to verify">
        <Picker subject={subject} onAgain={again} />
        <DropZone label="Evidence file" accept=".json,application/json" onFile={onFile}>
          Drop an evidence file here. <span class="soft">It is verified in this page and sent nowhere.</span>
        </DropZone>
      </Panel>
      <KeysPanel keys={keys} onChange={onKeysChanged} />
    </div>
  );
  const outcome = (
    <div class="audit-stack" key="outcome">
      {subject && <SubjectLine subject={subject} />}
      <Outcome state={state} onAgain={again} />
    </div>
  );
  // on a phone the outcome would stand below everything that one has already filled in
  return (
    <div class="audit-stack">
      <span class="visually-hidden" role="status">
        {state.kind === 'verified' && state.verification.outcome !== 'refused' ? state.verification.summary : ''}
      </span>
      {subject && !is_wide ? [outcome, start] : [start, outcome]}
    </div>
  );
}

function SubjectLine({ subject }: { subject: Subject }) {
  return (
    <p class="audit-subject">
      <span class="soft">Verified in this browser:</span>{' '}
      <InertText text={subject.from === 'file' ? subject.file.name : `${subject.picked.kind} ${textOf(subject.picked)}`} mono />
    </p>
  );
}

function Picker({ subject, onAgain }: { subject: Subject | undefined; onAgain: () => void }) {
  const go = useNavigate();
  const shown = subject?.from === 'api' ? textOf(subject.picked) : '';
  const [text, setText] = useState(shown);
  const [error, setError] = useState<string>();
  useEffect(() => setText(shown), [shown]);
  const submit = (event: Event) => {
    event.preventDefault();
    const found = picked(text);
    if (!found) return setError('Write an id, or a position such as tool-executed/0/17.');
    setError(undefined);
    if (subject?.from === 'api' && sameAs(subject.picked, found)) onAgain();
    else go(hrefOf(found));
  };
  return (
    <form class="audit-pick" onSubmit={submit} noValidate>
      <TextField
        label="Call, case, event or record"
        hint="An id, or the position of a record: topic/partition/offset"
        value={text}
        onValue={setText}
        error={error}
        mono
        characters_max={320}
      />
      <Button type="submit" look="primary" icon="check">
        Verify
      </Button>
    </form>
  );
}

const sameAs = (a: Picked, b: Picked): boolean => hrefOf(a) === hrefOf(b);

function Outcome({ state, onAgain }: { state: CheckState; onAgain: () => void }) {
  switch (state.kind) {
    case 'idle':
      return (
        <EmptyState icon="audit" title="Nothing is verified yet">
          <p>
            Verify a call, a case or a single record: this page reads the record, its proof and the signed checkpoint, and computes every
            step itself. Nothing is believed because the server says so.
          </p>
        </EmptyState>
      );
    case 'running':
      return <Running progress={state.progress} />;
    case 'problem':
      return <ErrorState problem={state.problem} retry={onAgain} />;
    case 'broken':
      return (
        <ErrorState
          problem={{ title: 'The verification stopped', status: 0, detail: state.message, advice: 'Reload the page and try again.' }}
          retry={onAgain}
        />
      );
    case 'verified':
      return <VerificationView verification={state.verification} />;
  }
}

function Running({ progress }: { progress: Extract<CheckState, { kind: 'running' }>['progress'] }) {
  if (progress === 'reading') return <Skeleton lines={6} label="Reading the evidence" />;
  const { proven, records } = progress;
  return (
    <div class="audit-progress" role="status">
      <label for="audit-progress">
        {proven} of {records} records verified
      </label>
      <progress id="audit-progress" value={proven} max={records} />
    </div>
  );
}
