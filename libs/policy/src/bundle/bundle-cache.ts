import { type CompiledBundle, compileBundle } from './compile-bundle.js';
import type { PolicyBundle } from './rule.js';

/** A published bundle; the same object for as long as it is published. */
export interface BundleText {
  version: string;
  bundle_json: string;
  digest: string;
}

/** A bundle, or why there is none that can rule: then nothing is allowed. */
export type BundleInForce = { bundle: CompiledBundle } | { unusable: string };

/** Compiles published bundles once each. */
export class BundleCache {
  private readonly compiled = new WeakMap<BundleText, BundleInForce>();

  of(text: BundleText): BundleInForce {
    const known = this.compiled.get(text);
    if (known) return known;
    const fresh = read(text);
    this.compiled.set(text, fresh);
    return fresh;
  }
}

function read(text: BundleText): BundleInForce {
  try {
    const compiled = compileBundle(JSON.parse(text.bundle_json) as PolicyBundle, text);
    if ('bundle' in compiled) return compiled;
    const [first] = compiled.faults;
    return { unusable: `rule ${first?.rule}: ${first?.reason}` };
  } catch (error) {
    return { unusable: (error as Error).message };
  }
}
