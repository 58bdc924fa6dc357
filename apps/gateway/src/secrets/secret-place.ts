import { type Caller, Refusal } from '@countersign/calls';
import { DEFAULT_TENANT } from '@countersign/contracts';
import type { SecretPlace, SecretScope } from '@countersign/store';

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

/** From narrow to wide: the first scope that has the secret wins. */
export const SCOPES: readonly SecretScope[] = ['user', 'workspace', 'org'];

/** Position of a secret, or why the caller may not use it: users set their own, admins the workspace's, admins of `default` all others. */
export function secretPlace({ tenant_id, principal }: Caller, named: string, name: string): SecretPlace | Refusal {
  const scope = SCOPES.find((one) => one === named);
  if (!NAME.test(name) || !scope)
    return new Refusal('invalid-request', 'the scope is user, workspace or org, and the name has letters, digits, _ . -');
  if (scope === 'user') return { tenant_id, scope, owner: principal.id, name };
  const mayWrite = principal.roles.includes('admin') && (scope === 'workspace' || tenant_id === DEFAULT_TENANT);
  if (!mayWrite)
    return new Refusal('forbidden', scope === 'org' ? `needs an admin of tenant ${DEFAULT_TENANT}` : 'needs the role admin', {
      reason: 'role_missing',
    });
  return { tenant_id: scope === 'org' ? '' : tenant_id, scope, owner: '', name };
}
