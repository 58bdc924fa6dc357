/** A version of a tenant's fact table; its rows never change. */
export interface FactTable {
  table: string;
  /** Starts at 1; each change increments it. */
  version: number;
  rows: ReadonlyMap<string, unknown>;
  /** SHA-256 of the change, hex. */
  change_digest: string;
  by: string;
  changed_at_ms: number;
}

/** A tenant's fact tables: the newest version of each, and earlier ones. */
export interface FactShelf {
  tables: Map<string, FactTable>;
  /** Earlier versions and dropped tables, newest last, at most VERSIONS_KEPT per table. */
  earlier: Map<string, FactTable[]>;
}

export function emptyFacts(): FactShelf {
  return { tables: new Map(), earlier: new Map() };
}
