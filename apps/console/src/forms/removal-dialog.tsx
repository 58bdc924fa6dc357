import type { ComponentChildren } from 'preact';
import { useToast } from '../elements/toast.js';
import type { Mutation } from '../gateway/use-mutation.js';
import { FormDialog } from './form-dialog.js';

interface RemovalDialogProps {
  title: string;
  /** What the button says. */
  action: string;
  removing: Mutation<undefined, unknown>;
  /** What is said once it is removed. */
  done: string;
  onCancel: () => void;
  onRemoved: () => void;
  /** What is lost. */
  children: ComponentChildren;
}

/** Asks before something is removed for good. */
export function RemovalDialog({ title, action, removing, done, onCancel, onRemoved, children }: RemovalDialogProps) {
  const toast = useToast();
  const submit = async () => {
    if (!(await removing.run(undefined)).ok) return;
    toast({ tone: 'good', text: done });
    onRemoved();
  };
  return (
    <FormDialog
      title={title}
      action={action}
      look="danger"
      is_pending={removing.is_pending}
      problem={removing.problem}
      onSubmit={submit}
      onClose={onCancel}
    >
      {children}
    </FormDialog>
  );
}
