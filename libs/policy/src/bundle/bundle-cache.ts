import { BundleCompiler, type CompiledBundle } from './compile-bundle.js';
import type { PolicyBundle } from './rule.js';

/** The text of a bundle. `digest`: its SHA-256. */
export interface BundleText {
  version: string;
  bundle_json: string;
  digest: string;
}

/** A compiled bundle, or why it is unusable: then nothing is allowed. */
export type BundleInForce = { bundle: CompiledBundle } | { unusable: string };

const KEPT_MAX = 100;

/** Compiles each bundle once, by its content. Beyond the maximum the oldest are dropped. */
class BundleCache {
  private readonly of_object = new WeakMap<BundleText, BundleInForce>();
  private readonly of_text = new Map<string, BundleInForce>();

  /** Returns the bundle, and compiles it synchronously if necessary. */
  of(text: BundleText): BundleInForce {
    const known = this.of_object.get(text) ?? this.of_text.get(keyOf(text));
    if (!known) return this.keep(text, finished(begun(text)));
    this.of_object.set(text, known);
    return known;
  }

  /** Compiles a bundle one rule per step, and caches it at the end. */
  *steps(text: BundleText): Generator<void> {
    if (this.of_text.has(keyOf(text))) return;
    const compiler = begun(text);
    if ('unusable' in compiler) return void this.keep(text, compiler);
    try {
      while (compiler.step()) yield;
    } catch (error) {
      return void this.keep(text, { unusable: (error as Error).message });
    }
    this.keep(text, finished(compiler));
  }

  private keep(text: BundleText, made: BundleInForce): BundleInForce {
    this.of_object.set(text, made);
    this.of_text.set(keyOf(text), made);
    const [oldest] = this.of_text.keys();
    if (this.of_text.size > KEPT_MAX && oldest !== undefined) this.of_text.delete(oldest);
    return made;
  }
}

const keyOf = ({ digest, version }: BundleText): string => `${digest} ${version}`;

function begun(text: BundleText): BundleCompiler | { unusable: string } {
  try {
    return new BundleCompiler(JSON.parse(text.bundle_json) as PolicyBundle, { version: text.version, digest: text.digest });
  } catch (error) {
    return { unusable: (error as Error).message };
  }
}

function finished(compiler: BundleCompiler | { unusable: string }): BundleInForce {
  if ('unusable' in compiler) return compiler;
  try {
    const compiled = compiler.finish();
    if ('bundle' in compiled) return compiled;
    const [first] = compiled.faults;
    return { unusable: `rule ${first?.rule}: ${first?.reason}` };
  } catch (error) {
    return { unusable: (error as Error).message };
  }
}

/** The bundles of this process, compiled once for all its services. */
export const compiledBundles = new BundleCache();
