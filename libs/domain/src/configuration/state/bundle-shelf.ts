/** A published version of a tenant's policy. The object is immutable. */
export interface PublishedBundle {
  version: string;
  bundle_json: string;
  /** Computed from the text, not copied from the record. */
  digest: string;
  simulation_digest: string | null;
  by: string;
  published_at_ms: number;
  /** 1: the version was published when only one of several matching approval rules applied. */
  semantics: number;
}

/** A change of the active bundle, with its time. */
export interface BundleActivation {
  version: string | null;
  shadow_version: string | null;
  by: string;
  activated_at_ms: number;
}

/** A tenant's policy: its versions, the active one, and the one in shadow mode. */
export interface BundleShelf {
  versions: Map<string, PublishedBundle>;
  /** Null: only the built-in rules and default tiers apply. */
  active: string | null;
  shadow: string | null;
  /** Newest last. */
  activations: BundleActivation[];
  simulation_required: boolean;
  /** The tenant has only one policy admin, so a publisher may activate their own mapping. */
  single_policy_admin: boolean;
}

export function emptyShelf(): BundleShelf {
  return { versions: new Map(), active: null, shadow: null, activations: [], simulation_required: false, single_policy_admin: false };
}
