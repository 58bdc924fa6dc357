import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';

/** Why this person may not do something; undefined: they may. Shown at the disabled button. */
export function useForbidden(roles: readonly string[]): string | undefined {
  const session = useSession();
  return hasRole(session, roles) ? undefined : `This needs the role ${roles.join(' or ')}.`;
}
