import { useSession } from '../gateway/context.js';
import { useQuery } from '../gateway/use-query.js';

export type Scope = 'user' | 'workspace' | 'org';

/** In the words of the console; the narrowest scope counts. */
export const SCOPES: Readonly<Record<Scope, string>> = { user: 'yours', workspace: 'workspace', org: 'whole installation' };
const ORDER: readonly Scope[] = ['user', 'workspace', 'org'];

interface Listed {
  name: string;
  scope: Scope;
  user_id: string | null;
  expired: boolean;
}

/** Which secret of a name the calls of this person use; undefined: none. */
export type SecretOf = (name: string) => { scope: Scope; expired: boolean } | undefined;

export function resolvedSecrets(secrets: readonly Listed[], person: string): Map<string, { scope: Scope; expired: boolean }> {
  const found = new Map<string, { scope: Scope; expired: boolean }>();
  for (const scope of ORDER)
    for (const secret of secrets)
      if (secret.scope === scope && !found.has(secret.name) && (scope !== 'user' || secret.user_id === person))
        found.set(secret.name, { scope, expired: secret.expired });
  return found;
}

/** The secrets that the calls of this person use, by name. Undefined until they are read. */
export function useSecrets(): SecretOf | undefined {
  const { principal } = useSession();
  const { data } = useQuery({
    kind: 'configuration',
    key: ['secrets'],
    read: (api, signal) => api.GET('/v1/secrets', { params: { query: { limit: 500 } }, signal }),
  });
  if (!data) return undefined;
  const found = resolvedSecrets(data.items, principal.id);
  return (name) => found.get(name);
}
