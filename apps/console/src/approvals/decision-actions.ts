import type { Approval } from './approval.js';
import { approveRight, type Delegator, denyRight, type Person, type Right, standingVote } from './who-may-vote.js';

/** Something that can be done with a request, and whether this person may. */
export interface Action {
  name: 'approve' | 'deny' | 'edit' | 'grant' | 'delegate' | 'revoke';
  label: string;
  look: 'primary' | 'danger' | 'default' | 'quiet';
  key?: string;
  /** Shown as a button on a phone, too. */
  is_main: boolean;
  right: Right;
}

/** What can be done with this request, in the order of the buttons. */
export function actionsOf(approval: Approval, person: Person, delegators: readonly Delegator[]): Action[] {
  const approve = approveRight(approval, person, delegators);
  const deny = denyRight(approval, person, delegators);
  const standing = standingVote(approval, person);
  return [
    ...(standing === undefined
      ? [{ name: 'approve', label: 'Approve', look: 'primary', key: 'a', is_main: true, right: approve } as const]
      : [
          {
            name: 'revoke',
            label: standing === 'delegate' ? 'Take my vote back' : 'Withdraw my vote',
            look: 'default',
            is_main: true,
            right: { may: true },
          } as const,
        ]),
    { name: 'deny', label: 'Deny', look: 'danger', key: 'd', is_main: true, right: deny },
    { name: 'edit', label: 'Edit inputs', look: 'quiet', key: 'e', is_main: false, right: editRight(approval, approve) },
    { name: 'grant', label: 'Approve similar', look: 'quiet', is_main: false, right: grantRight(approval, approve) },
    { name: 'delegate', label: 'Pass on', look: 'quiet', is_main: false, right: deny },
  ];
}

function editRight({ call }: Approval, approve: Right): Right {
  if (!approve.may) return approve;
  if (!call) return { may: false, because: 'The call is not there yet.' };
  return (call.withheld?.length ?? 0) > 0 ? { may: false, because: 'The inputs are withheld from you.' } : approve;
}

function grantRight({ grantable, terms }: Approval, approve: Right): Right {
  if (!approve.may) return approve;
  return grantable && (terms?.grant_max_ms ?? 0) > 0
    ? approve
    : { may: false, because: 'The policy does not allow an approval that covers similar calls.' };
}
