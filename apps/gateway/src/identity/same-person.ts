import { type ConfigurationState, isOnePerson, keysOf, personLinksOf } from '@countersign/domain';

/** True if both principals belong to one person: they are linked, one owns the key of the other, or both keys have the same owner. */
export function isSamePerson(state: ConfigurationState, tenant_id: string, one: string, other: string): boolean {
  const who = (id: string) => ({ issuer: null, id });
  if (isOnePerson(personLinksOf(state, tenant_id), who(one), who(other))) return true;
  const keys = keysOf(state, tenant_id);
  const owners = (id: string) => new Set([id, ...keys.flatMap(({ principal, owner }) => (principal.id === id && owner ? [owner] : []))]);
  const mine = owners(one);
  return [...owners(other)].some((id) => mine.has(id));
}
