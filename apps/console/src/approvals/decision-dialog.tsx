import type { Approval, VoteBody } from './approval.js';
import type { Action } from './decision-actions.js';
import { DelegateDialog } from './delegate-dialog.js';
import { DenyDialog } from './deny-dialog.js';
import { EditDialog } from './edit-dialog.js';
import { GrantDialog } from './grant-dialog.js';

export type DialogName = Exclude<Action['name'], 'approve' | 'revoke'>;

/** What each dialog of a decision gets. */
export interface DecisionDialogProps {
  approval: Approval;
  cast: (body: VoteBody) => void;
  onClose: () => void;
}

const DIALOGS = { deny: DenyDialog, edit: EditDialog, grant: GrantDialog, delegate: DelegateDialog } as const;

/** The dialog of a decision that needs more than a press. */
export function DecisionDialog({ name, ...props }: DecisionDialogProps & { name: DialogName }) {
  const Chosen = DIALOGS[name];
  return <Chosen {...props} />;
}
