import { type Caller, Refusal } from '@countersign/calls';
import { type ConfigurationState, type Identity, includesOne, keysOf, LOCAL_ISSUER, NO_LINKS, personLinksOf } from '@countersign/domain';

/**
 * Why a caller may not change a link about these identities, or undefined. Callers cannot change links about themselves: not by subject
 * (of any issuer), not through other links, and not with a key that they own.
 */
export function involvedProblem(
  state: ConfigurationState,
  { tenant_id, principal, issuer }: Pick<Caller, 'tenant_id' | 'principal' | 'issuer'>,
  concerned: readonly Identity[],
): Refusal | undefined {
  if (principal.kind !== 'user')
    return new Refusal('forbidden', `only users can change person links, and ${principal.id} is of kind ${principal.kind}`, {
      reason: 'user_required',
    });
  const owners = keysOf(state, tenant_id).flatMap((key) => (key.principal.id === principal.id && key.owner !== null ? [key.owner] : []));
  const own: Identity[] = [{ issuer, id: principal.id }, ...owners.map((id) => ({ issuer: LOCAL_ISSUER, id }))];
  const links = personLinksOf(state, tenant_id).filter(({ relation }) => relation === 'same');
  const involved = concerned.find((one) => includesOne(links, own, one) || includesOne(NO_LINKS, own, one));
  if (!involved) return undefined;
  const message = `${involved.issuer} ${involved.id} counts as the same person as you, ${principal.id}: another policy admin must record or remove this link`;
  return new Refusal('forbidden', `four eyes: ${message}`, {
    reason: 'second_person_required',
    issues: [{ path: '', code: 'four_eyes', message }],
  });
}
