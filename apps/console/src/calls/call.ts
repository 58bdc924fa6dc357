import type { Schemas } from '../gateway/schemas.js';
import { hasRole, type Session } from '../gateway/session.js';

/** A call with everything that is on its record. */
export type Call = Schemas['Envelope'];

/** What a person may do with a call; the gateway has the last word. */
export interface CallRights {
  cancel: boolean;
  resolve: boolean;
  undo: boolean;
  repeat: boolean;
  audit: boolean;
  replay: boolean;
}

const UNDOABLE = new Set(['succeeded', 'compensation_failed']);

/** A run whose id is `.` or `..` has no address of its own. */
export function callRights(session: Session, { status, principal, effect, compensates, run_id, name }: Call): CallRights {
  const is_operator = hasRole(session, ['operator']);
  const is_own = principal?.id === session.principal.id;
  return {
    cancel: ['pending_policy', 'pending_approval', 'running'].includes(status) && (is_operator || is_own),
    resolve: status === 'in_doubt' && is_operator,
    undo: UNDOABLE.has(status) && effect === 'happened' && compensates === null && is_operator,
    repeat: name !== null && compensates === null && hasRole(session, ['agent', 'operator']),
    audit: hasRole(session, ['auditor']),
    replay: run_id !== null && !/^\.+$/.test(run_id) && hasRole(session, ['operator', 'auditor', 'policy_admin']),
  };
}

/** The call that a person may look for in the system of record, as one text. */
export const callTitle = ({ name, call_id }: Pick<Call, 'name' | 'call_id'>): string => name ?? call_id;
