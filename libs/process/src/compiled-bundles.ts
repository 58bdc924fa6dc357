import type { ConfigurationState } from '@countersign/domain';
import { type BundleText, compiledBundles } from '@countersign/policy';
import { inTurns } from './in-turns.js';

/** Bundles that are being compiled, so that the services of one process compile each once. */
class BundlesAhead {
  private readonly under_way = new Map<string, Promise<void>>();

  /** Compiles a bundle in steps that let other work run, so that no decision waits for it. */
  compile(text: BundleText): Promise<void> {
    const key = `${text.digest} ${text.version}`;
    const known = this.under_way.get(key);
    if (known) return known;
    const made = inTurns(compiledBundles.steps(text)).finally(() => this.under_way.delete(key));
    this.under_way.set(key, made);
    return made;
  }
}

export const bundlesAhead = new BundlesAhead();

/** Compiles the bundles of a tenant that an activation names. */
export async function compileAhead(state: ConfigurationState, tenant_id: string, versions: readonly (string | null)[]): Promise<void> {
  const shelf = state.by_tenant.get(tenant_id)?.bundles;
  for (const version of versions) {
    const text = version === null ? undefined : shelf?.versions.get(version);
    if (text) await bundlesAhead.compile(text);
  }
}

/** Compiles all active and shadow bundles. */
export async function compileRuling(state: ConfigurationState): Promise<void> {
  for (const [tenant_id, { bundles }] of state.by_tenant) await compileAhead(state, tenant_id, [bundles.active, bundles.shadow]);
}
