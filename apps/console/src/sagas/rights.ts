import { hasRole, type Session } from '../gateway/session.js';
import type { Saga, Wait } from './saga.js';

/** Whether this person may pause, resume and cancel a saga. The gateway decides; this only leaves out what it would refuse. */
export function mayControl(session: Session, { started_by, on_behalf_of }: Pick<Saga, 'started_by' | 'on_behalf_of'>): boolean {
  const { kind, id } = session.principal;
  if (hasRole(session, ['operator'])) return true;
  return (started_by?.kind === kind && started_by.id === id) || (kind === 'user' && on_behalf_of === id);
}

/** Whether this person may decide about tickets. */
export const mayDecideTickets = (session: Session): boolean => session.principal.kind !== 'agent' && hasRole(session, ['operator']);

/** Whether this person may answer a wait. */
export const mayAnswer = (session: Session, { wait }: Pick<Wait, 'wait'>): boolean =>
  hasRole(session, wait === 'event' ? ['agent', 'operator'] : ['approver', 'operator']);
