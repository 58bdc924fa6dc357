import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';

interface FormDialogProps {
  title: string;
  /** What the button says: the verb of the action. */
  action: string;
  look?: 'primary' | 'danger';
  size?: 'normal' | 'wide';
  is_pending: boolean;
  /** What is refused and belongs to no field. */
  problem: Problem | undefined;
  /** Why the action is not allowed; its button is disabled. */
  refused?: string | undefined;
  onSubmit: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

/** A form in a dialog: Enter sends it, Escape leaves it. */
export function FormDialog({
  title,
  action,
  look = 'primary',
  size = 'normal',
  is_pending,
  problem,
  refused,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const id = useId();
  const submit = (event: Event) => {
    event.preventDefault();
    if (!is_pending && refused === undefined) onSubmit();
  };
  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look={look} is_busy={is_pending} disabled={refused !== undefined}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} class="stack" autocomplete="off" onSubmit={submit} noValidate>
        {children}
      </form>
      {refused && <p class="soft">{refused}</p>}
      {problem && <ProblemNote problem={problem} />}
    </Dialog>
  );
}
