import type { ApprovalRequirement } from '@countersign/contracts';
import {
  type ConfigurationState,
  type Identity,
  identityOf,
  includesOne,
  isUsable,
  keysOf,
  LOCAL_ISSUER,
  type PersonLink,
  personLinksOf,
  personsOf,
  type RequestedPart,
} from '@countersign/domain';

const NONE: ReadonlyMap<string, string> = new Map();

interface Known {
  people: readonly { id: string; roles: readonly string[] }[];
  /** Issuers of configured identity providers for people: if there are any, the number of people with a role is unknown. */
  issuers: ReadonlySet<string | null>;
  barred: readonly Identity[];
  links: readonly PersonLink[];
}

/** People in the first group of a requirement who could approve; undefined if that is unknown. */
function candidatesFor({ approver_roles, people, four_eyes }: ApprovalRequirement, known: Known): ReadonlySet<string> | undefined {
  if (known.issuers.size > 0 && approver_roles.length > 0) return undefined;
  const local = known.people.filter(({ id, roles }) => people.includes(id) || approver_roles.some((role) => roles.includes(role)));
  const elsewhere = people.map(identityOf).filter(({ issuer }) => known.issuers.has(issuer));
  const all = [...local.map(({ id }) => ({ issuer: LOCAL_ISSUER, id })), ...elsewhere];
  const free = four_eyes ? all.filter((one) => !includesOne(known.links, known.barred, one)) : all;
  return new Set(personsOf(known.links, free));
}

/**
 * Why the known people cannot satisfy a part when it is requested: too few people of its group have a valid key and may approve. By rule;
 * omits parts that they can satisfy, or for which this is unknown.
 */
export function shortfallsOf(
  config: ConfigurationState,
  tenant_id: string,
  parts: readonly RequestedPart[],
  { barred, at_ms }: { barred: readonly Identity[]; at_ms: number },
): ReadonlyMap<string, string> {
  const live = keysOf(config, tenant_id).filter((key) => key.principal.kind === 'user' && isUsable(key, at_ms));
  const providers = [...(config.by_tenant.get(tenant_id)?.identity_providers.values() ?? [])];
  const issuers = new Set(providers.filter(({ kind }) => kind === 'user').map(({ issuer }) => issuer));
  const known: Known = { people: live.map(({ principal }) => principal), issuers, barred, links: personLinksOf(config, tenant_id) };
  const short = parts.flatMap(({ rule, requirement }): [string, string][] => {
    const candidates = candidatesFor(requirement, known);
    if (!candidates || candidates.size >= requirement.quorum) return [];
    return [[rule, `rule ${rule} needs ${requirement.quorum} approvals, but only ${candidates.size} of the people with a key may approve`]];
  });
  return short.length === 0 ? NONE : new Map(short);
}
