import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { useToast } from '../elements/toast.js';
import { useIsWide } from '../elements/use-wide.js';
import { useShortcuts } from '../navigation/keyboard.js';
import type { Approval, VoteBody } from './approval.js';
import { type Action, actionsOf } from './decision-actions.js';
import { DecisionDialog, type DialogName } from './decision-dialog.js';
import { EndedNote } from './ended-note.js';
import { readHoldSeconds } from './hold-setting.js';
import { usePerson } from './use-person.js';
import { useVotes } from './use-votes.js';
import { VoteNote } from './vote-note.js';
import { isLastApproval } from './who-may-vote.js';
import './decision.css';

/** Whether the cursor of the list stands on another request than the one that is open: then no key decides. */
const isElsewhere = (approval_id: string): boolean => {
  const row = document.activeElement?.closest<HTMLElement>('[data-row-of]')?.dataset.rowOf;
  return row !== undefined && row !== approval_id;
};

/** The decision: what this person may do with the request, and why not the rest. It stays at the bottom of the window. */
export function DecisionBar({ approval }: { approval: Approval }) {
  const { approval_id } = approval;
  const { person, delegators } = usePerson();
  const votes = useVotes();
  const toast = useToast();
  const [dialog, setDialog] = useState<DialogName>();
  const state = votes.state(approval_id);
  const actions = actionsOf(approval, person, delegators);
  const is_busy = state.kind === 'held' || state.kind === 'sending';
  const cast = (body: VoteBody) => {
    setDialog(undefined);
    const is_final = body.vote === 'deny' || (body.vote === 'approve' && isLastApproval(approval, person, delegators));
    votes.cast(
      { approval_id, body, sentence: approval.sentence ?? approval.call?.tool ?? approval_id },
      is_final ? readHoldSeconds() * 1000 : 0,
    );
  };
  const start = (action: Action) => {
    if (is_busy || !action.right.may) return;
    if (action.name === 'approve') cast({ vote: 'approve' });
    else if (action.name === 'revoke') cast({ vote: 'revoke' });
    else setDialog(action.name);
  };
  const press = (name: Action['name']) => (event: KeyboardEvent) => {
    const action = actions.find((one) => one.name === name);
    if (event.repeat || !action) return;
    if (isElsewhere(approval_id)) toast({ text: 'Another request is marked in the list. Press Enter to open it first.' });
    else if (!action.right.may) toast({ text: action.right.because });
    else start(action);
  };
  useShortcuts([
    { keys: 'a', label: 'Approve', group: 'This request', run: press('approve') },
    { keys: 'd', label: 'Deny', group: 'This request', run: press('deny') },
    { keys: 'e', label: 'Edit the inputs', group: 'This request', run: press('edit') },
  ]);
  return (
    <section class="decision" aria-label="Decision">
      <VoteNote approval_id={approval_id} />
      {approval.status !== 'pending' && <EndedNote approval={approval} />}
      {approval.status === 'pending' && !is_busy && <Buttons {...{ actions, start }} />}
      {dialog && <DecisionDialog name={dialog} approval={approval} cast={cast} onClose={() => setDialog(undefined)} />}
    </section>
  );
}

/** A vote is not withdrawn by the second tap on the button that cast it. */
const WITHDRAWN_AFTER_MS = 500;

/** The frequent decisions as buttons; on a phone the others are one touch away. */
function Buttons({ actions, start }: { actions: readonly Action[]; start: (action: Action) => void }) {
  const is_wide = useIsWide();
  const [is_open, setOpen] = useState(false);
  const [shown_at_ms] = useState(() => performance.now());
  const main = actions.filter(({ is_main }) => is_main);
  const others = actions.filter(({ is_main }) => !is_main);
  const reason = main.map(({ right }) => right).find((right) => !right.may);
  const choose = (action: Action, clicks: number) => {
    // the second click of a double click was meant for the button that stood here before
    if (clicks > 1 || (action.name === 'revoke' && performance.now() - shown_at_ms < WITHDRAWN_AFTER_MS)) return;
    setOpen(false);
    start(action);
  };
  const button = (action: Action) => (
    <Button
      key={action.name}
      look={action.look}
      disabled={!action.right.may}
      title={action.right.may ? undefined : action.right.because}
      aria-keyshortcuts={action.key}
      onClick={(event) => choose(action, event.detail)}
    >
      {action.label}
    </Button>
  );
  return (
    <>
      {reason && !reason.may && <p class="decision-reason">{reason.because}</p>}
      <div class="decision-buttons">
        {main.map(button)}
        {is_wide ? (
          others.map(button)
        ) : (
          <Button icon="more" aria-label="Other decisions" aria-haspopup="dialog" onClick={() => setOpen(true)} />
        )}
      </div>
      {is_open && !is_wide && (
        <Dialog title="Other decisions" onClose={() => setOpen(false)}>
          {others.map((action) => (
            <div key={action.name} class="stack-tight">
              {button(action)}
              {!action.right.may && <p class="soft">{action.right.because}</p>}
            </div>
          ))}
        </Dialog>
      )}
    </>
  );
}
