import type { ComponentChildren } from 'preact';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useDraft } from '../navigation/draft.js';

interface ReasonDialogProps {
  title: string;
  /** Under this name the reason is kept until it is sent. */
  draft: string;
  confirm: string;
  look?: 'primary' | 'danger';
  is_reason_required?: boolean;
  characters_max?: number;
  is_pending: boolean;
  problem: Problem | undefined;
  /** Whether what stands above the reason is complete. */
  is_complete?: boolean;
  /** What somebody else did meanwhile: there is nothing left to send. */
  overtaken?: string | undefined;
  /** Sends it; true if it was accepted. */
  onConfirm: (reason: string | undefined) => Promise<boolean>;
  onClose: () => void;
  children?: ComponentChildren;
}

/** Asks for a confirmation and its reason. The reason stays until it has been accepted. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, draft, confirm, look = 'primary', is_reason_required = false, is_complete = true, characters_max = 1000 } = props;
  const [reason, setReason, clear] = useDraft(draft);
  const is_overtaken = props.overtaken !== undefined && !props.is_pending;
  const is_ready = is_complete && !is_overtaken && (!is_reason_required || reason.trim() !== '');
  const send = async () => {
    if (!is_ready || !(await props.onConfirm(reason.trim() || undefined))) return;
    clear();
    props.onClose();
  };
  const actions = (
    <>
      <Button onClick={props.onClose}>Back</Button>
      <Button look={look} is_busy={props.is_pending} disabled={!is_ready} onClick={send}>
        {confirm}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={props.onClose} actions={actions}>
      <div class="stack">
        {props.children}
        <TextArea
          label={is_reason_required ? 'Reason' : 'Reason (optional)'}
          hint="It is recorded."
          value={reason}
          onValue={setReason}
          required={is_reason_required}
          characters_max={characters_max}
        />
        {is_overtaken && (
          <div class="problem-note" role="alert">
            <strong>Somebody was faster</strong>
            <InertText text={props.overtaken ?? ''} look="block" />
          </div>
        )}
        {props.problem && <ProblemNote problem={props.problem} />}
      </div>
    </Dialog>
  );
}
