import type { EventMap } from '@countersign/contracts';
import { type LinkPeriod, NO_LINKS, type PersonLink } from '../../approval/person-links.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

export function setPersonLink(
  state: ConfigurationState,
  { meta, based_on: _base, ...link }: EventMap['person_link_set'],
  { offset }: { offset: number },
): void {
  const part = tenantPart(state, meta.tenant_id);
  const links = part.person_links ?? { in_force: new Map(), periods: [] };
  const { link_id, one, other, relation, removed } = link;
  const ended = links.periods.map((period) =>
    period.link_id === link_id && period.until_offset === null ? { ...period, until_offset: offset } : period,
  );
  const begun = {
    link_id,
    relation,
    one: { issuer: one.issuer, id: one.subject },
    other: { issuer: other.issuer, id: other.subject },
    from_offset: offset,
    until_offset: null,
  };
  if (removed) links.in_force.delete(link_id);
  else links.in_force.set(link_id, link);
  part.person_links = { in_force: links.in_force, periods: removed ? ended : [...ended, begun] };
}

/** All identity links that a tenant recorded, including those no longer in force. */
export function personLinkPeriods(state: ConfigurationState, tenant_id: string): readonly LinkPeriod[] {
  return state.by_tenant.get(tenant_id)?.person_links?.periods ?? NO_LINKS;
}

/** The identity links in force. */
export function personLinksOf(state: ConfigurationState, tenant_id: string): readonly PersonLink[] {
  const periods = personLinkPeriods(state, tenant_id);
  return periods.length === 0 ? NO_LINKS : periods.filter(({ until_offset }) => until_offset === null);
}
