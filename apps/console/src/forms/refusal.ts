import { hasRole, type Session } from '../gateway/session.js';

/** Why a session may not do what needs one of these roles; undefined: it may. */
export function refusalOf(session: Session, needed: readonly string[]): string | undefined {
  if (hasRole(session, needed)) return undefined;
  const own = session.principal.roles.join(', ') || 'no roles';
  return `This needs the role ${[...new Set([...needed, 'admin'])].join(' or ')}. You have: ${own}.`;
}
