import { useState } from 'preact/hooks';
import { saveFile } from '../downloads/save-file.js';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { Icon } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import { RelativeTime } from '../elements/time-ago.js';
import { type Continuity, isContradiction } from './proof/continuity.js';
import type { LogState } from './read-log.js';
import { forgetCheckpoint } from './remembered-checkpoint.js';

const TITLES = {
  forked: 'This log contradicts what it showed this browser before',
  shrunk: 'This log is shorter than what it showed this browser before',
  other_key: 'This server signs with another key than before',
} as const;

type Contradiction = Extract<Continuity, { before: object; reason: string }>;
type Compared = Extract<LogState, { kind: 'compared' }>;

/** Said above everything else: the log shows another history than before, or a key that is not trusted signs it. */
export function LogAlarm({ state, onAccepted }: { state: LogState | undefined; onAccepted: () => void }) {
  if (state?.kind === 'untrusted')
    return (
      <section class="audit-alarm" role="alert">
        <h2>
          <Icon name="warning" size={20} /> The log of this server is not verified
        </h2>
        <p>
          {state.step.title}: <InertText text={state.step.says} />
        </p>
      </section>
    );
  if (state?.kind === 'unknown' && state.problem.status >= 500 && state.problem.status !== 503)
    return (
      <section class="audit-alarm" role="alert">
        <h2>
          <Icon name="warning" size={20} /> The log could not be compared with what this browser remembers
        </h2>
        <p>
          <InertText text={state.problem.detail ?? state.problem.title} />
        </p>
      </section>
    );
  if (state?.kind === 'unknown' && state.problem.reason !== 'checkpoint_pending')
    return (
      <p class="soft" role="status">
        The log was not compared with what this browser remembers: <InertText text={state.problem.detail ?? state.problem.title} />
      </p>
    );
  if (state?.kind !== 'compared' || !isContradiction(state.continuity)) return null;
  return <Contradicted state={state} continuity={state.continuity as Contradiction} onAccepted={onAccepted} />;
}

function Contradicted({ state, continuity, onAccepted }: { state: Compared; continuity: Contradiction; onAccepted: () => void }) {
  const [is_accepting, setAccepting] = useState(false);
  const { before, kind, reason } = continuity;
  const { newest, served } = state;
  const evidence = { found_at: new Date().toISOString(), reason, remembered: before, shown: served };
  return (
    <section class="audit-alarm" role="alert">
      <h2>
        <Icon name="warning" size={20} /> {TITLES[kind]}
      </h2>
      <p>
        <InertText text={`${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`} /> Either the history was replaced, or the installation
        was set up again. Keep both checkpoints and ask its operator. Nothing that was remembered is replaced.
      </p>
      <Facts
        facts={[
          ['Remembered', `checkpoint ${before.size}`],
          ['Verified here', <RelativeTime key="t" at={before.seen_at} />],
          ['Its root', <InertText key="r" text={before.root} mono />],
          ['Shown now', `checkpoint ${newest.size}`],
        ]}
      />
      <div class="row">
        <Button icon="download" onClick={() => saveFile('contradiction.json', new Blob([JSON.stringify(evidence, null, 2)]))}>
          Keep both checkpoints
        </Button>
        <Button look="danger" onClick={() => setAccepting(true)}>
          Accept this history
        </Button>
      </div>
      {is_accepting && <AcceptDialog onClose={() => setAccepting(false)} onAccepted={onAccepted} />}
    </section>
  );
}

function AcceptDialog({ onClose, onAccepted }: { onClose: () => void; onAccepted: () => void }) {
  const accept = () => {
    forgetCheckpoint();
    onClose();
    onAccepted();
  };
  return (
    <Dialog
      title="Accept this history"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={accept}>
            Forget the remembered checkpoint
          </Button>
        </>
      }
    >
      <p>
        This browser forgets the checkpoint that the log contradicts, and begins again with the one that is shown now. Do this only if you
        know why the history is another one, and have kept both checkpoints.
      </p>
    </Dialog>
  );
}
