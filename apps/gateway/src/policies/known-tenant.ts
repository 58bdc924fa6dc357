import { type ConfigurationState, keysOf, type MappingVersion, personLinksOf, toolNames, toolVersions } from '@countersign/domain';
import { roles } from '../authentication/authenticator.js';
import type { KnownTenant } from './bundle-checks.js';

/** The target paths of the mapping versions, including those that wait for activation. */
function placesOf(versions: readonly MappingVersion[]): string[] {
  const lines = versions.flatMap(({ definition }) => (Array.isArray(definition?.inputs) ? (definition.inputs as { to?: unknown }[]) : []));
  return lines.flatMap(({ to }) => (typeof to === 'string' ? [to] : []));
}

const ROLES: ReadonlySet<string> = new Set(roles);

/** The facts about a tenant that its rules can name. */
export function knownTenant(state: ConfigurationState, tenant_id: string, now_ms: number): KnownTenant {
  const live = keysOf(state, tenant_id).filter(
    ({ principal, revoked_at_ms, expires_at_ms }) =>
      principal.kind === 'user' && revoked_at_ms === null && (expires_at_ms === null || now_ms < expires_at_ms),
  );
  const tenant = state.by_tenant.get(tenant_id);
  const providers = tenant?.identity_providers.values() ?? [];
  return {
    contracts: toolNames(state, tenant_id).flatMap((name) => toolVersions(state, tenant_id, name).map(({ tool }) => tool.contract)),
    roles: ROLES,
    people: new Set(live.map(({ principal }) => principal.id)),
    mapped_to: new Map([...(tenant?.mappings ?? [])].map(([tool, versions]) => [tool, placesOf(versions)])),
    links: personLinksOf(state, tenant_id),
    issuers: new Set([...providers].map(({ issuer }) => issuer)),
  };
}
