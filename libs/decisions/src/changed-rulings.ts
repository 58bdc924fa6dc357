import { type ConfigurationState, overrideFor, type PublishedBundle } from '@countersign/domain';
import { compiledBundles, rowId } from '@countersign/policy';

/** Why a bundle that was published before parts may rule a tool otherwise than its author saw. */
export interface ChangedRuling {
  tenant_id: string;
  bundle_version: string;
  tool: string;
  why: string;
}

type Rules = readonly { id: string; effect: string; overrides?: readonly string[] }[];

/** What is new about the rules that a tool meets; empty where they rule as before. */
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

/** Bundles in force that were published when one of several rules that ask spoke, and what they may rule otherwise now. */
export function changedRulings(state: ConfigurationState): ChangedRuling[] {
  return [...state.by_tenant].flatMap(([tenant_id, { bundles }]) => {
    const bundle = bundles.active === null ? undefined : bundles.versions.get(bundles.active);
    return bundle && bundle.semantics < 2 ? changesOf(state, tenant_id, bundle) : [];
  });
}

/** Grants of releases before grants named inputs: they cover no call. By tenant. */
export function voidGrants(state: ConfigurationState, now_ms: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [tenant_id, { grants }] of state.by_tenant) {
    const live = [...grants.values()].filter(({ grant, revoked }) => !revoked && grant.inputs === null && grant.expires_at_ms > now_ms);
    if (live.length > 0) found.set(tenant_id, live.length);
  }
  return found;
}
