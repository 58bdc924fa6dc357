import { type EventMap, sha256Hex } from '@countersign/contracts';
import type { PublishedBundle } from '../state/bundle-shelf.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

const ACTIVATIONS_KEPT = 100;

/** A published version never changes: only the first record of a version counts. */
export function publishBundle(state: ConfigurationState, event: EventMap['policy_bundle_published']): void {
  const { versions } = tenantPart(state, event.meta.tenant_id).bundles;
  const { version, bundle_json, simulation_digest, published_at_ms, semantics = 1 } = event;
  if (versions.has(version)) return;
  versions.set(version, {
    version,
    bundle_json,
    digest: sha256Hex(bundle_json),
    simulation_digest,
    by: event.by.id,
    published_at_ms,
    semantics,
  });
}

/** Ignored if it names a version that does not exist. */
export function activateBundle(state: ConfigurationState, event: EventMap['policy_bundle_activated']): void {
  const shelf = tenantPart(state, event.meta.tenant_id).bundles;
  const { version, shadow_version, activated_at_ms } = event;
  if ([version, shadow_version].some((named) => named !== null && !shelf.versions.has(named))) return;
  shelf.active = version;
  shelf.shadow = shadow_version;
  shelf.activations.push({ version, shadow_version, by: event.by.id, activated_at_ms });
  if (shelf.activations.length > ACTIVATIONS_KEPT) shelf.activations.shift();
}

export function setPolicySettings(state: ConfigurationState, event: EventMap['policy_settings_set']): void {
  const shelf = tenantPart(state, event.meta.tenant_id).bundles;
  shelf.simulation_required = event.simulation_required;
  shelf.single_policy_admin = event.single_policy_admin;
}

/** The active bundle of a tenant and the one in shadow mode. */
export function rulingBundles(state: ConfigurationState, tenant_id: string): { active?: PublishedBundle; shadow?: PublishedBundle } {
  const shelf = state.by_tenant.get(tenant_id)?.bundles;
  if (!shelf || (shelf.active === null && shelf.shadow === null)) return NONE;
  const active = shelf.active === null ? undefined : shelf.versions.get(shelf.active);
  const shadow = shelf.shadow === null ? undefined : shelf.versions.get(shelf.shadow);
  return { ...(active ? { active } : {}), ...(shadow ? { shadow } : {}) };
}

const NONE = {};
