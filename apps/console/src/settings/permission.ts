import { refusalOf } from '../forms/refusal.js';
import { hasRole, type Session } from '../gateway/session.js';

/** Why a session may not write secrets of a scope; undefined: it may. Everyone may write their own. */
export function secretRefusal(session: Session, { scope, user_id }: { scope: string; user_id?: string | null }): string | undefined {
  const { principal, tenant_id } = session;
  if (scope === 'user') return user_id && user_id !== principal.id ? `Only ${user_id} may change a secret of ${user_id}.` : undefined;
  const refused = refusalOf(session, ['admin']);
  if (refused || scope !== 'org' || tenant_id === 'default') return refused;
  return 'Secrets of the installation are changed by an admin of tenant default.';
}

/** Why a session may not end a vote delegation of a person; undefined: it may. */
export function endRefusal(session: Session, from_id: string): string | undefined {
  if (from_id === session.principal.id || hasRole(session, ['admin'])) return undefined;
  return `Only ${from_id} or an admin may end it.`;
}
