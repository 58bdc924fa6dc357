import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Icon } from '../elements/icon.js';
import { Panel } from '../elements/screen.js';
import { ApproveStep } from './approve-step.js';
import { CallStep } from './call-step.js';
import { RuleStep } from './rule-step.js';
import type { Progress } from './use-progress.js';

const HIDDEN = 'countersign:first-steps-hidden';

/** From an empty installation to the first approved call. Each step ticks itself off when it has happened. */
export function FirstStepsPanel({ progress }: { progress: Progress }) {
  const is_done = progress.has_call && progress.policy !== null && progress.has_approved;
  // steps that were done before this visit are not shown; those of this visit stay, ticked
  const [is_shown, setShown] = useState(() => !is_done && localStorage.getItem(HIDDEN) === null);
  if (!is_shown) return null;
  const hide = () => {
    localStorage.setItem(HIDDEN, '1');
    setShown(false);
  };
  const done = [progress.has_call, progress.policy !== null, progress.has_approved];
  return (
    <Panel
      title={is_done ? 'First steps: done' : 'First steps'}
      actions={
        <Button look="quiet" onClick={hide}>
          Hide
        </Button>
      }
    >
      <ol class="steps">
        <Step number={1} title="Make the first call" is_done={done[0] ?? false} is_next={done.indexOf(false) === 0}>
          <CallStep />
        </Step>
        <Step number={2} title="Write the first rule" is_done={done[1] ?? false} is_next={done.indexOf(false) === 1}>
          <RuleStep progress={progress} />
        </Step>
        <Step number={3} title="Approve a call" is_done={done[2] ?? false} is_next={done.indexOf(false) === 2}>
          <ApproveStep progress={progress} />
        </Step>
      </ol>
    </Panel>
  );
}

interface StepProps {
  number: number;
  title: string;
  is_done: boolean;
  /** The first one that is not done is open. */
  is_next: boolean;
  children: ComponentChildren;
}

function Step({ number, title, is_done, is_next, children }: StepProps) {
  const [chosen, setChosen] = useState<boolean>();
  const is_open = chosen ?? is_next;
  return (
    <li class={`step ${is_done ? 'step-done' : ''}`}>
      <button type="button" class="step-head" aria-expanded={is_open} onClick={() => setChosen(!is_open)}>
        <span class="step-mark" aria-hidden="true">
          {is_done ? <Icon name="check" /> : number}
        </span>
        <span class="step-title">{title}</span>
        {is_done && <span class="soft">Done</span>}
      </button>
      <span class="visually-hidden" role="status">
        {is_done ? `Done: ${title}` : ''}
      </span>
      {/* kept while it is closed: a new key is shown only once */}
      <div class="step-body" hidden={!is_open}>
        {children}
      </div>
    </li>
  );
}
