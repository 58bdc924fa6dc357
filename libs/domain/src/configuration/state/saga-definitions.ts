import type { Principal } from '@countersign/contracts';

/** A version of a saga definition, as it was published. It never changes. */
export interface SagaDefinitionVersion {
  name: string;
  /** Exact semver. */
  version: string;
  /** Canonical JSON. */
  definition_json: string;
  /** SHA-256 of the text, hex; computed, never taken on trust. */
  digest: string;
  by: Principal;
  published_at_ms: number;
}

/** Name → version → what was published. */
export type SagaDefinitions = Map<string, Map<string, SagaDefinitionVersion>>;
