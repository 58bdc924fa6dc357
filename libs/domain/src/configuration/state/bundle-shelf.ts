/** A version of a tenant's policy, as it was published. Its object stays the same one forever. */
export interface PublishedBundle {
  version: string;
  bundle_json: string;
  /** Computed from the text, never taken on trust. */
  digest: string;
  simulation_digest: string | null;
  by: string;
  published_at_ms: number;
  /** 1: its author published it when of several rules that ask one spoke. */
  semantics: number;
}

/** What was active when. */
export interface BundleActivation {
  version: string | null;
  shadow_version: string | null;
  by: string;
  activated_at_ms: number;
}

/** A tenant's policy: its versions, which rules, and which runs in shadow. */
export interface BundleShelf {
  versions: Map<string, PublishedBundle>;
  /** Null: the built-in rules and default tiers alone. */
  active: string | null;
  shadow: string | null;
  /** The newest last. */
  activations: BundleActivation[];
  simulation_required: boolean;
  /** There is no second policy admin who could activate a mapping. */
  single_policy_admin: boolean;
}

export function emptyShelf(): BundleShelf {
  return { versions: new Map(), active: null, shadow: null, activations: [], simulation_required: false, single_policy_admin: false };
}
