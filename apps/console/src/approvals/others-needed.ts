import type { Approval } from './approval.js';
import { approveRight, type Delegator, isLastApproval, type Person } from './who-may-vote.js';

const NAMES_SHOWN = 6;

/** Who else must agree before the call runs, in words. */
export function othersNeeded(approval: Approval, person: Person, delegators: readonly Delegator[]): string {
  const unmet = approval.asked_because.filter(({ met }) => !met);
  const can = approveRight(approval, person, delegators).may;
  if (can && isLastApproval(approval, person, delegators)) return 'Nobody else: yours is the last approval';
  const missing = unmet.reduce((sum, part) => sum + part.missing, 0) - (can ? 1 : 0);
  const names = [...new Set(unmet.flatMap(({ can_decide }) => can_decide))].filter((id) => id !== person.id);
  const more = unmet.some(({ can_decide_more }) => can_decide_more);
  if (missing <= 0) return 'Nobody else';
  if (names.length < missing && !more)
    return `${missing} more; now ${names.length === 0 ? 'nobody' : `only ${names.join(', ')}`} can agree`;
  const shown = names.slice(0, NAMES_SHOWN).join(', ') + (names.length > NAMES_SHOWN || more ? ' and others' : '');
  const count = `${missing} more${can ? ' after you' : ''}`;
  if (names.length === 0) return count;
  return names.length === missing && !more ? `${count}: ${shown}` : `${count}, of ${shown}`;
}
