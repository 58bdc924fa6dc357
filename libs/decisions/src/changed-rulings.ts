import { type ConfigurationState, overrideFor, type PublishedBundle } from '@countersign/domain';
import { compiledBundles, rowId } from '@countersign/policy';

/** Why a bundle published before approval parts existed may rule a tool differently than its author saw. */
export interface ChangedRuling {
  tenant_id: string;
  bundle_version: string;
  tool: string;
  why: string;
}

type Rules = readonly { id: string; effect: string; overrides?: readonly string[] }[];

/** The differences in how the rules of a tool apply now; empty if they rule as before. */
function changesOn(rules: Rules, row: string | undefined): string[] {
  const asking = rules.filter(({ effect }) => effect === 'require_approval').map(({ id }) => id);
  const allowing = rules.filter(({ effect, overrides }) => effect === 'allow' && !(row !== undefined && overrides?.includes(row)));
  const all = row === undefined ? asking : [...asking, row];
  return [
    ...(all.length > 1 ? [`${all.join(', ')} apply together, so all of them require approval; before, only one applied`] : []),
    ...(row !== undefined && allowing.length > 0
      ? [
          `${row} requires approval although ${allowing.map(({ id }) => id).join(', ')} allow: an allow rule lowers it only with overrides: ["${row}"]`,
        ]
      : []),
  ];
}

function changesOf(state: ConfigurationState, tenant_id: string, bundle: PublishedBundle): ChangedRuling[] {
  const force = compiledBundles.of(bundle);
  if ('unusable' in force) return [];
  return [...state.tools].flatMap(([tool, versions]) => {
    const contract = versions[0]?.contract;
    if (!contract) return [];
    const override = overrideFor(state, tenant_id, tool);
    const row = override?.tier === 'tier_2_approval_required' ? rowId(override.tool) : undefined;
    const whys = changesOn(force.bundle.rules.about(contract), row);
    return whys.map((why) => ({ tenant_id, bundle_version: bundle.version, tool, why }));
  });
}

/**
 * Active bundles that were published when only one of several matching approval rules applied, with the tools that they may rule
 * differently now.
 */
export function changedRulings(state: ConfigurationState): ChangedRuling[] {
  return [...state.by_tenant].flatMap(([tenant_id, { bundles }]) => {
    const bundle = bundles.active === null ? undefined : bundles.versions.get(bundles.active);
    return bundle && bundle.semantics < 2 ? changesOf(state, tenant_id, bundle) : [];
  });
}

/** Tenant → number of live grants from before grants recorded inputs. They cover no call. */
export function voidGrants(state: ConfigurationState, now_ms: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [tenant_id, { grants }] of state.by_tenant) {
    const live = [...grants.values()].filter(({ grant, revoked }) => !revoked && grant.inputs === null && grant.expires_at_ms > now_ms);
    if (live.length > 0) found.set(tenant_id, live.length);
  }
  return found;
}
