import type { TreeHashing } from '../merkle/tree-hashing.js';

/** Decodes the values of a bundle's records. */
export interface RecordDecoder {
  /** Reads records with this schema id by this schema; false if this build does not know the schema: another could decode the bytes differently. */
  addSchema(id: number, text: string): boolean;
  /** @throws if the bytes are not an event of a known schema */
  decode(value: Uint8Array): { event_type: string; event: unknown };
}

/** What the verification of a bundle needs from where it runs. */
export interface BundlePlatform {
  hashing: TreeHashing;
  /** A decoder without schemas. */
  decoder: RecordDecoder;
}
